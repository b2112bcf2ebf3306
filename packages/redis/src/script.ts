import { createHash } from 'node:crypto'

/*
 * The arithmetic of core's `bucket.ts`, operation by operation, on the same doubles: every product is either below 2^53 or
 * compared in a way that does not need it exact. docs/decisions/redis-layout.md says why a key is one packed value.
 *
 * What is stored at a key, packed by `struct` without padding:
 *
 *     count (2 bytes); at, until, and what each bucket owes (8 bytes each); then for each bucket a line of text,
 *     "grain flow burst wholeBurst name\n"
 *
 * A line is a definition as the caller writes it, so that two definitions are the same where their text is. `until` is
 * when the key expires. A key that owes nothing is deleted, so that one that is there always owes something.
 */

/**
 * The one script: takes, peeks, settles and resets any number of items in one call, each as if it were alone.
 *
 * KEYS are those of all items, in order. ARGV is the time in milliseconds (`''`: the server's), then for each item its
 * operation, how many keys it has, how many arguments follow, and these:
 *
 * - `take`, `peek`: how many numbers a limit has, then for each key its lines, the `struct` format of its value, and for
 *   each limit: flow; the most that may be owed for this cost to fit; grains to take; and, where the request took before,
 *   grains to give back first
 * - `settle`: for each key its lines, and the tokens by which what is owed moves
 * - `reset`: nothing
 *
 * The answer is one flat list of whole numbers, those of 2^52 and more as text. For a take or peek: 1 or 0 (allowed or not)
 * plus twice the number of redefined buckets; for each key how far the clock is behind it, then what each bucket owes;
 * last, the places of the redefined ones, from 1. For settle and reset: 1. An item that failed is one text, `!` and what
 * was wrong. What stands behind the last item means nothing.
 */
export const SCRIPT = `
local ARGV, KEYS, call, tonumber, ceil, sub = ARGV, KEYS, redis.pcall, tonumber, math.ceil, string.sub
local unpacked, packed = struct.unpack, struct.pack
local MOST_OWED, MOST_AHEAD, NEVER = 9007199254740991, 60000, -math.huge
-- Clients add up the digits of whole numbers, and some lose the last of one near 2^53: it is answered as text.
local MOST_SAFE = 4503599627370496

-- A key outlives its last debt by up to the slack. Nobody knows how long a second of a given time takes.
local now, slack = ARGV[1], 3600000
if now == '' then
  local time = call('TIME')
  now, slack = time[1] * 1000 + math.floor(time[2] / 1000), 2000
else
  now = tonumber(now)
end

local replies, states, r, k, a = {}, {}, 0, 0, 2

-- Moves the expiry only when it has come too near or is too far: setting it is most of what a write costs.
local function save(key, state, format, lines, full)
  local ends = state[2] + ceil(full)
  local spare = state[3] - ends
  if spare > slack / 2 and spare <= slack then
    return call('SET', key, packed(format, unpack(state)) .. lines, 'KEEPTTL')
  end
  state[3] = ends + slack
  return call('SET', key, packed(format, unpack(state)) .. lines, 'PX', state[3] - now)
end

-- What is needed by settle, by reset, and when a key was last charged under other limits. Made only then, since to make
-- functions is a good part of what a short script costs.
local rare
local function makeRare()
  local LINE = '((%d+) (%d+) (%d+) (%d+) ([^\\n]+)\\n)'

  local function bucketOf(line, grain, flow, burst, whole, name)
    return { line = line, grain = tonumber(grain), flow = tonumber(flow), size = burst * grain, name = name, owed = 0 }
  end

  -- The buckets of a value that owe something now, in order and by name.
  local function opened(value)
    local count = unpacked('<H', value)
    local numbers = { unpacked('<' .. string.rep('d', count + 2), value, 3) }
    local at, elapsed = numbers[1], 0
    if now >= at or at - now > MOST_AHEAD then
      at, elapsed = now, math.max(0, now - at)
    end
    local buckets, byName, seen = {}, {}, 0
    for line, grain, flow, burst, whole, name in string.gmatch(sub(value, 8 * count + 19), LINE) do
      seen = seen + 1
      local bucket = bucketOf(line, grain, flow, burst, whole, name)
      bucket.owed = numbers[seen + 2] - elapsed * bucket.flow
      if bucket.owed > 0 then
        buckets[#buckets + 1], byName[name] = bucket, bucket
      end
    end
    if seen ~= count or seen == 0 then error('count') end
    return { at = #buckets > 0 and at or now, ends = numbers[2], buckets = buckets, byName = byName }
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

  -- Moves what is owed by tokens: in each bucket at the definition that it has, in a full one at the given.
  local function move(name, value, lines, tokens)
    local key = { at = now, ends = NEVER, buckets = {}, byName = {} }
    if value then
      local ok, found = pcall(opened, value)
      if not ok then return nil end
      key = found
    end
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
    local state, n, all, full = { 0, key.at, key.ends }, 3, '', 0
    for _, bucket in ipairs(key.buckets) do
      if bucket.owed > 0 then
        n = n + 1
        state[n], all, full = bucket.owed, all .. bucket.line, math.max(full, bucket.owed / bucket.flow)
      end
    end
    if n == 3 then return value and call('DEL', name) or 0 end
    state[1] = n - 3
    return save(name, state, '<H' .. string.rep('d', n - 1), all, full)
  end

  return {
    NOT_OURS = 'the key holds what Rail did not write',

    -- The state of a value as if it had been kept under these lines, with what else owes behind them.
    reopen = function(value, lines)
      local ok, key = pcall(opened, value)
      if not ok then return nil end
      local state, n, all, rest, redefined, asked = { 0, key.at, key.ends }, 3, lines, 0, {}, {}
      for line, grain, flow, burst, whole, name in string.gmatch(lines, LINE) do
        n = n + 1
        local before = key.byName[name]
        state[n] = before and carriedOver(before, bucketOf(line, grain, flow, burst, whole, name)) or 0
        redefined[n] = before ~= nil and before.line ~= line
        asked[name] = true
      end
      for _, bucket in ipairs(key.buckets) do
        if not asked[bucket.name] then
          n = n + 1
          state[n], all, rest = bucket.owed, all .. bucket.line, math.max(rest, bucket.owed / bucket.flow)
        end
      end
      state[1] = n - 3
      state.lines, state.format, state.rest, state.redefined = all, '<H' .. string.rep('d', n - 1), rest, redefined
      return state
    end,

    -- Does a settle or a reset; gives what failed.
    change = function(operation, keys)
      for i = 1, keys do
        local name, done = KEYS[k + i]
        if operation == 'reset' then
          done = call('DEL', name)
        else
          local value = call('GET', name)
          if type(value) == 'table' then return value.err end
          done = move(name, value, ARGV[a], tonumber(ARGV[a + 1]))
          if not done then return rare.NOT_OURS end
          a = a + 2
        end
        if type(done) == 'table' and done.err then return done.err end
      end
      r = r + 1
      replies[r] = 1
    end,
  }
end

-- First asks every bucket of an item, then takes from every one. Gives what failed.
local function take(keys, commits)
  local stride, first, head = tonumber(ARGV[a]), a + 1, r + 1
  local allowed, changed = 1, nil
  replies[head] = 0
  a, r = first, head
  for i = 1, keys do
    local lines, format = ARGV[a], ARGV[a + 1]
    local last = #format - 1
    local value = call('GET', KEYS[k + i])
    local state, elapsed, ahead = nil, 0, 0
    if not value then
      state = { last - 3, now, NEVER, 0 }
      for j = 5, last do state[j] = 0 end
    elseif type(value) == 'table' then
      return value.err
    elseif #value == 8 * last - 6 + #lines and sub(value, 8 * last - 5) == lines then
      state = { unpacked(format, value) }
      elapsed = now - state[2]
      if elapsed < 0 then
        if elapsed >= -MOST_AHEAD then ahead = -elapsed end
        elapsed = 0
      end
      state[2] = now + ahead
    else
      rare = rare or makeRare()
      state = rare.reopen(value, lines)
      if not state then return rare.NOT_OURS end
      ahead = state[2] - now
    end
    states[i] = state
    a, r = a + 2, r + 1
    replies[r] = ahead
    for j = 4, last do
      local owed = state[j] - elapsed * ARGV[a]
      if stride == 4 then owed = owed - ARGV[a + 3] end
      if owed < 0 then owed = 0 end
      if owed > tonumber(ARGV[a + 1]) then allowed = 0 end
      a, r = a + stride, r + 1
      state[j], replies[r] = owed, owed < MOST_SAFE and owed or string.format('%.17g', owed)
    end
  end

  a, r = first, head
  for i = 1, keys do
    local lines, format, state = ARGV[a], ARGV[a + 1], states[i]
    local full, redefined = state.rest or 0, state.redefined
    a, r = a + 2, r + 1
    for j = 4, #format - 1 do
      local owed = state[j]
      r = r + 1
      if allowed == 1 then
        -- What fits never passes 2^53: the size and the whole burst of a limit together do not.
        owed = owed + ARGV[a + 2]
        state[j], replies[r] = owed, owed < MOST_SAFE and owed or string.format('%.17g', owed)
      end
      local drains = owed / ARGV[a]
      if drains > full then full = drains end
      if redefined and redefined[j] then
        changed = changed or {}
        changed[#changed + 1] = r - head - i
      end
      a = a + stride
    end
    if commits then
      local saved
      if full > 0 then
        saved = save(KEYS[k + i], state, state.format or format, state.lines or lines, full)
      elseif state[3] ~= NEVER then
        saved = call('DEL', KEYS[k + i])
      end
      if type(saved) == 'table' and saved.err then return saved.err end
    end
  end

  replies[head] = allowed
  if changed then
    replies[head] = allowed + 2 * #changed
    for _, place in ipairs(changed) do
      r = r + 1
      replies[r] = place
    end
  end
end

while ARGV[a] do
  local operation, keys, after, head = ARGV[a], tonumber(ARGV[a + 1]), a + 3 + ARGV[a + 2], r + 1
  local failed
  a = a + 3
  if operation == 'take' or operation == 'peek' then
    failed = take(keys, operation == 'take')
  else
    rare = rare or makeRare()
    failed = rare.change(operation, keys)
  end
  if failed then
    -- A master that has become a replica: all of it fails, so that a client may hear it and look for the new master.
    if string.find(sub(failed, 1, 12), 'READONLY', 1, true) then return redis.error_reply(failed) end
    r = head
    replies[r] = '!' .. failed
  end
  a, k = after, k + keys
end
return replies
`

/** The script's SHA-1, by which Redis knows it once it has been sent. Made when it is first needed. */
export function scriptSha(): string {
  sha ??= createHash('sha1').update(SCRIPT).digest('hex')
  return sha
}

let sha: string | undefined
