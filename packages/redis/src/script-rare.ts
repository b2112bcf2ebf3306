import { MOST_OWED } from '@rail/core/store'

/** How far a clock may be behind a key, in milliseconds, before the key's time is set back. */
export const MOST_AHEAD = 60_000
/** Clients add up the digits of whole numbers, and some lose the last of one near 2^53: from here on it is answered as text. */
export const MOST_SAFE = 2 ** 52
/** In Lua, what is wrong with a key of another's. */
export const NOT_OURS = "'the key holds what Rail did not write'"

/** The part of the script that few requests need. It uses `save`, which stands in front of it. */
export const RARE = `
-- What is needed by settle, and when a key was last charged under other limits. Made only then.
local function makeRare(now)
  local LINE = '((%d+) (%d+) (%d+) (%d+) ([^\\n]+)\\n)'
  local MOST_OWED = ${MOST_OWED}

  local function bucketOf(line, grain, flow, burst, whole, name)
    return { line = line, grain = tonumber(grain), flow = tonumber(flow), size = burst * grain, name = name, owed = 0 }
  end

  -- The lines of a value are those after which as many numbers follow as these lines need: with fewer lines, more follows.
  local function bucketsIn(value)
    local buckets, first = {}, 1
    while #value - first + 1 > 8 * (#buckets + 1) do
      local _, last, line, grain, flow, burst, whole, name = string.find(value, '^' .. LINE, first)
      if not last then return nil end
      buckets[#buckets + 1], first = bucketOf(line, grain, flow, burst, whole, name), last + 1
    end
    if #buckets == 0 or #value - first + 1 ~= 8 * (#buckets + 1) then return nil end
    return buckets, first
  end

  -- The buckets of a value that owe something now, in order and by name.
  local function opened(value)
    local found, first = bucketsIn(value)
    if not found then return nil end
    local numbers = { struct.unpack('<' .. string.rep('d', #found + 1), value, first) }
    local at, elapsed = numbers[1], 0
    if now >= at or at - now > ${MOST_AHEAD} then
      at, elapsed = now, math.max(0, now - at)
    end
    local buckets, byName = {}, {}
    for i, bucket in ipairs(found) do
      bucket.owed = numbers[i + 1] - elapsed * bucket.flow
      if bucket.owed > 0 then
        buckets[#buckets + 1], byName[bucket.name] = bucket, bucket
      end
    end
    return { at = #buckets > 0 and at or now, buckets = buckets, byName = byName }
  end

  -- grains * to / from, rounded up, at most MOST_OWED: by long multiplication, since the product may pass 2^53.
  local function converted(grains, from, to)
    if from == to or grains == 0 then return grains end
    local rest = math.fmod(grains, from)
    local whole = (grains - rest) / from
    if whole > math.floor(MOST_OWED / to) then return MOST_OWED end
    local bit, left, quotient, remainder = 1, to, 0, 0
    while bit * 2 <= to do bit = bit * 2 end
    while bit >= 1 do
      quotient, remainder = quotient * 2, remainder * 2
      if remainder >= from then quotient, remainder = quotient + 1, remainder - from end
      if left >= bit then
        left = left - bit
        if remainder >= from - rest then
          quotient, remainder = quotient + 1, remainder - (from - rest)
        else
          remainder = remainder + rest
        end
      end
      bit = bit / 2
    end
    if remainder > 0 then quotient = quotient + 1 end
    return quotient > MOST_OWED - whole * to and MOST_OWED or whole * to + quotient
  end

  local function carriedOver(before, after)
    if before.line == after.line then return before.owed end
    local spent = math.min(before.owed, before.size)
    local debt = converted(before.owed - spent, before.grain, after.grain)
    spent = math.min(converted(spent, before.grain, after.grain), after.size)
    return debt > MOST_OWED - spent and MOST_OWED or spent + debt
  end

  -- A state, and beside its list what only such a one has: its own format, and in how many milliseconds the buckets that
  -- are not asked are full.
  local function stateOf(key, buckets, full)
    local lines, state = {}, { '', key.at }
    for i, bucket in ipairs(buckets) do
      lines[i], state[i + 2] = bucket.line, bucket.owed
    end
    state[1] = table.concat(lines)
    state.format, state.full = string.format('<c%08d', #state[1]) .. string.rep('d', #buckets + 1), full
    return state
  end

  return {
    -- The state of a value as if it had been kept under these lines, with what else owes behind them.
    reopen = function(value, lines)
      local key = opened(value)
      if not key then return nil end
      local buckets, redefined, asked, full = {}, {}, {}, 0
      for line, grain, flow, burst, whole, name in string.gmatch(lines, LINE) do
        local before, bucket = key.byName[name], bucketOf(line, grain, flow, burst, whole, name)
        if before then bucket.owed = carriedOver(before, bucket) end
        buckets[#buckets + 1], asked[name] = bucket, true
        redefined[#buckets] = before ~= nil and before.line ~= line
      end
      for _, bucket in ipairs(key.buckets) do
        if not asked[bucket.name] then
          buckets[#buckets + 1], full = bucket, math.max(full, bucket.owed / bucket.flow)
        end
      end
      local state = stateOf(key, buckets, full)
      state.redefined = redefined
      return state
    end,

    -- Moves what is owed by tokens: in each bucket at the definition that it has, in a full one at the given. Gives what
    -- failed.
    settle = function(call, name, lines, tokens, option, more)
      local value, key = call('GET', name), { at = now, buckets = {}, byName = {} }
      if type(value) == 'table' then return value.err end
      if value then key = opened(value) end
      if not key then return ${NOT_OURS} end
      for line, grain, flow, burst, whole, limit in string.gmatch(lines, LINE) do
        local bucket = key.byName[limit]
        if not bucket then
          bucket = bucketOf(line, grain, flow, burst, whole, limit)
          key.buckets[#key.buckets + 1] = bucket
        end
        if tokens > (MOST_OWED - bucket.owed) / bucket.grain then
          bucket.owed = MOST_OWED
        elseif -tokens >= bucket.owed / bucket.grain then
          bucket.owed = 0
        else
          bucket.owed = bucket.owed + tokens * bucket.grain
        end
      end
      local buckets, full = {}, 0
      for _, bucket in ipairs(key.buckets) do
        if bucket.owed > 0 then
          buckets[#buckets + 1], full = bucket, math.max(full, bucket.owed / bucket.flow)
        end
      end
      local state = stateOf(key, buckets, full)
      return save(call, name, state, state.format, full, option, more)
    end,

    reset = function(call, name)
      local done = call('DEL', name)
      return type(done) == 'table' and done.err
    end,
  }
end
`
