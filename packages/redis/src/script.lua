-- Any number of takes, peeks, settles and resets in one call. Each acts as if it were alone.
--
-- KEYS has the keys of all operations, in order. ARGV has the time in milliseconds ('' is the server's time), and then for
-- each operation its name and its arguments:
--
--   take <lines> <format> {<flow> <room> <grains>}
--   peek <lines> <format> {<flow> <room> <grains>}    decides as a take does, and writes nothing
--   retake, repeek                                    the same with four numbers: {<flow> <room> <grains> <back>}
--   and <lines> <format> {...}                        one more key of the operation in front of it
--   give <lines> <tokens>                             gives tokens back, as a part of the take in front of it
--   settle <lines> <tokens>                           moves what is owed by so many tokens
--   reset
--
-- <lines> has a line for each limit: "grain flow burst wholeBurst name\n". <format> is the struct format of a value with
-- these lines. The numbers in braces come once for each limit. The cost fits where at most <room> is owed; it takes
-- <grains>. <back> is what the same request took earlier from this bucket: it is given back first.
--
-- The reply is one list of numbers. A take or peek has 1 if it is allowed, else 0; and for each key, by how many
-- milliseconds the clock is behind it, and what each bucket owes. A settle or reset has a 1. Its first number is 2 more where
-- a key had a value that Rail did not write: that key counts as full, and what is written replaces the value. An operation
-- that failed has a string: "!" and the reason. Numbers from 2^52 are strings, since some clients lose the last digit of
-- larger ones.
--
-- A key holds its lines and behind them numbers of 8 bytes: `at`, and what each bucket owes. Where a limit has become
-- smaller, its line may end in a tab and the cut: what was spent and has no room in the smaller size. Each key expires in
-- the millisecond in which all its buckets are full. A key that owes nothing is deleted.
--
-- The arithmetic is that of core's bucket.ts, on the same doubles: a product is below 2^53, or it is only compared with
-- something below 2^53. Redis runs this text anew in each call, so a function costs as much as ten additions, and so
-- does each variable that a function shares with its surroundings. Functions are therefore few and get what they need.

-- Reads a value. A state is a list: lines, at, what each bucket owes. Gives the state, and the milliseconds for which it
-- drains; or nil where the value has other lines.
local function read(value, lines, format, last, now)
  if not value then
    local state = { lines, now }
    for j = 3, last do state[j] = 0 end
    return state, 0
  end
  if #value ~= #lines + 8 * (last - 1) then return nil end
  local state = { struct.unpack(format, value) }
  if state[1] ~= lines then return nil end
  local elapsed = now - state[2]
  if elapsed >= 0 then
    state[2] = now
    return state, elapsed
  end
  -- A clock that has stepped back far sets the key's time back, and so does a time that is not a number.
  if not (elapsed >= -60000) then state[2] = now end
  return state, 0
end

-- Writes a key, or deletes it where its buckets are full. `full` is the time until they are. Gives an error or nothing.
local function write(call, key, format, state, full, option, offset)
  if full == 0 then
    local done = call('DEL', key)
    return type(done) == 'table' and done.err .. ' (DEL)'
  end
  local ends = state[2] + full + offset
  -- As a string: Redis would write out a number with 17 digits, which takes longer.
  local done = call('SET', key, struct.pack(format, unpack(state)), option, string.format('%d', ends + -ends % 1))
  return done.err and done.err .. ' (SET)'
end

local function run(KEYS, ARGV, call, makeSlowPath)
  local now, option, offset = ARGV[1], 'PXAT', 0
  if now == '' then
    local time = call('TIME')
    if time.err then return redis.error_reply(time.err .. ' (TIME)') end
    local ms = time[2] / 1000
    now = time[1] * 1000 + ms - ms % 1
  else
    -- Nobody knows how long a second of a given time takes: the key lives an hour longer.
    now = tonumber(now)
    option, offset = 'PX', 3600000 - now
  end

  -- r is the last reply, k the last key, a the next argument.
  local replies, r, k, a, states, slow = {}, 0, 0, 2, {}, nil
  while ARGV[a] do
    local operation, head, failed = ARGV[a], r + 1, nil
    local again = operation == 'retake' or operation == 'repeek'
    if again or operation == 'take' or operation == 'peek' then
      local numbers = again and 4 or 3
      -- First look at every bucket of every key.
      local allowed, keys, first = 1, 0, a
      repeat
        local lines, format = ARGV[a + 1], ARGV[a + 2]
        -- A format is "<c", a count of 8 digits, and a d for at and for each bucket.
        local last = #format - 9
        keys, a = keys + 1, a + 3
        local value = call('GET', KEYS[k + keys])
        local state, elapsed
        if type(value) == 'table' and not string.find(value.err, '^%-?WRONGTYPE') then
          failed = value.err .. ' (GET)'
        else
          state, elapsed = read(value, lines, format, last, now)
          if not state then
            slow = slow or makeSlowPath(now)
            state, elapsed = slow.reopen(value, lines, again and ARGV, a), nil
          end
        end
        if state then
          states[keys] = state
          for j = 3, last do
            local owed = state[j]
            if elapsed then
              owed = owed - elapsed * ARGV[a]
              if again then owed = owed - ARGV[a + 3] end
              if owed < 0 then owed = 0 end
              state[j] = owed
            end
            if not (owed <= ARGV[a + 1] + 0) then
              if owed < 9007199254740992 then
                allowed = 0
              else
                -- Nothing of ours owes so much, or what is not a number.
                slow = slow or makeSlowPath(now)
                slow.isForeign, state[j] = true, 0
              end
            end
            a = a + numbers
          end
        else
          a = a + numbers * (last - 2)
        end
      until ARGV[a] ~= 'and'

      -- Then take from all of them, or from none.
      if not failed then
        local after = a
        a, r = first, head
        for i = 1, keys do
          local state, format = states[i], ARGV[a + 2]
          local last, full, cuts = #format - 9, state.full or 0, state.cuts
          a, r = a + 3, r + 1
          replies[r] = state[2] - now
          for j = 3, last do
            local owed = state[j]
            -- What fits never passes 2^53: the size and the whole burst of a limit together do not.
            if allowed == 1 then
              owed = owed + ARGV[a + 2]
              state[j] = owed
            end
            local drains = (cuts and owed + cuts[j - 2] or owed) / ARGV[a]
            if drains > full then full = drains end
            r = r + 1
            replies[r] = owed < 4503599627370496 and owed or string.format('%.17g', owed)
            a = a + numbers
          end
          if operation == 'take' or operation == 'retake' then
            failed = failed or write(call, KEYS[k + i], state.format or format, state, full, option, offset)
          end
        end
        replies[head] = allowed
        a = after
      end
      k = k + keys
      while ARGV[a] == 'give' do
        slow = slow or makeSlowPath(now)
        k = k + 1
        failed = failed or slow.settle(call, KEYS[k], ARGV[a + 1], tonumber(ARGV[a + 2]), option, offset)
        a = a + 3
      end
    else
      k, r = k + 1, head
      replies[r] = 1
      if operation == 'settle' then
        slow = slow or makeSlowPath(now)
        failed = slow.settle(call, KEYS[k], ARGV[a + 1], tonumber(ARGV[a + 2]), option, offset)
        a = a + 3
      else
        local done = call('DEL', KEYS[k])
        failed = type(done) == 'table' and done.err .. ' (DEL)'
        a = a + 1
      end
    end
    if slow and slow.isForeign then
      slow.isForeign = false
      replies[head] = (replies[head] or 0) + 2
    end
    if failed then
      -- A master that has become a replica: all of it fails, so that the client looks for the new master.
      if string.find(failed, '^%-?READONLY') then return redis.error_reply(failed) end
      r = head
      replies[r] = '!' .. failed
    end
  end
  return replies
end

-- What few operations need: keys that were charged under other limits, and settle.
local function makeSlowPath(now)
  local LINE = '((%d+) (%d+) (%d+) (%d+) ([^\n\t]+))\t?(%d*)\n'
  local MOST_OWED = 2 ^ 53 - 1
  local slow = { isForeign = false }

  local function bucketOf(line, grain, flow, burst, _, name, cut)
    return {
      line = line,
      grain = tonumber(grain),
      flow = tonumber(flow),
      size = burst * grain,
      burst = tonumber(burst),
      name = name,
      cut = tonumber(cut) or 0,
      owed = 0,
      total = 0,
    }
  end

  local function foreign(key)
    slow.isForeign = true
    return key
  end

  -- The buckets of a value that are not full, drained to now: what each owes, and its total, which is that and the cut.
  -- None where Rail did not write the value.
  local function open(value)
    local key = { at = now, buckets = {}, byName = {} }
    if not value then return key end
    if type(value) == 'table' then return foreign(key) end
    local found, first = {}, 1
    -- The lines end where as many bytes follow as they need for their numbers.
    while #value - first + 1 > 8 * (#found + 1) do
      local _, last, line, grain, flow, burst, whole, name, cut = string.find(value, '^' .. LINE, first)
      if not last then return foreign(key) end
      found[#found + 1], first = bucketOf(line, grain, flow, burst, whole, name, cut), last + 1
    end
    if #found == 0 or #value - first + 1 ~= 8 * (#found + 1) then return foreign(key) end
    local numbers = { struct.unpack('<' .. string.rep('d', #found + 1), value, first) }
    for i = 2, #numbers do
      if not (numbers[i] >= 0 and numbers[i] <= MOST_OWED) then return foreign(key) end
    end
    local at, elapsed = numbers[1], 0
    if not (now < at and at - now <= 60000) then
      at, elapsed = now, math.max(0, now - at)
    end
    for i, bucket in ipairs(found) do
      local owed, drained = numbers[i + 1], elapsed * bucket.flow
      bucket.owed = math.max(0, owed - drained)
      bucket.total = math.max(0, math.min(MOST_OWED, owed + bucket.cut) - drained)
      if bucket.total > 0 then
        key.buckets[#key.buckets + 1], key.byName[bucket.name], key.at = bucket, bucket, at
      end
    end
    return key
  end

  -- grains * to / from, rounded up, at most MOST_OWED. By long multiplication, since the product may pass 2^53.
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

  -- Carries a bucket over to another definition of its limit.
  local function carryOver(before, after)
    local spent = math.min(before.owed, before.size)
    local shown = converted(spent, before.grain, after.grain)
    local debt = converted(before.owed - spent, before.grain, after.grain)
    local cut = converted(before.total - before.owed, before.grain, after.grain)
    -- As much of the cut as the size grows by is owed again.
    local counted = math.min(cut, math.max(0, (after.burst - before.burst) * after.grain))
    after.owed = math.min(MOST_OWED, math.min(shown + counted, after.size) + debt)
    after.total = math.min(MOST_OWED, math.min(MOST_OWED, shown + cut) + debt)
  end

  -- Takes grains from a bucket, or gives them back where they are below 0.
  local function move(bucket, grains)
    bucket.owed = math.max(0, math.min(MOST_OWED, bucket.owed + grains))
    bucket.total = math.max(0, math.min(MOST_OWED, bucket.total + grains))
  end

  -- A list of buckets as a state, and the format of its value.
  local function stateOf(at, buckets)
    local lines, state = {}, { '', at }
    for i, bucket in ipairs(buckets) do
      local cut = bucket.total - bucket.owed
      lines[i] = bucket.line .. (cut > 0 and string.format('\t%.0f\n', cut) or '\n')
      state[i + 2] = bucket.owed
    end
    state[1] = table.concat(lines)
    return state, '<c' .. #state[1] .. string.rep('d', #buckets + 1)
  end

  -- The state of a value as if it had been stored under these lines; buckets of other limits follow. The state is drained,
  -- and what the request took earlier is given back where `back` has that, in each fourth element from a + 3.
  function slow.reopen(value, lines, back, a)
    local key = open(value)
    local buckets, cuts, full = {}, {}, 0
    for line, grain, flow, burst, whole, name in string.gmatch(lines, LINE) do
      local before = key.byName[name]
      local bucket = before
      if not before or before.line ~= line then
        bucket = bucketOf(line, grain, flow, burst, whole, name)
        if before then carryOver(before, bucket) end
      end
      if back then
        move(bucket, -back[a + 3])
        a = a + 4
      end
      buckets[#buckets + 1], key.byName[name] = bucket, nil
      cuts[#buckets] = bucket.total - bucket.owed
    end
    for _, bucket in ipairs(key.buckets) do
      if key.byName[bucket.name] then
        buckets[#buckets + 1], full = bucket, math.max(full, bucket.total / bucket.flow)
      end
    end
    local state, format = stateOf(key.at, buckets)
    state.cuts, state.format, state.full = cuts, format, full
    return state
  end

  -- Moves what is owed by tokens: in each bucket at the definition that it has, in a full one at the given. Gives an error
  -- or nothing.
  function slow.settle(call, name, lines, tokens, option, offset)
    local value = call('GET', name)
    if type(value) == 'table' and not string.find(value.err, '^%-?WRONGTYPE') then return value.err .. ' (GET)' end
    local key = open(value)
    for line, grain, flow, burst, whole, limit in string.gmatch(lines, LINE) do
      local bucket = key.byName[limit]
      if not bucket then
        bucket = bucketOf(line, grain, flow, burst, whole, limit)
        key.buckets[#key.buckets + 1] = bucket
      end
      move(bucket, tokens * bucket.grain)
    end
    local buckets, full = {}, 0
    for _, bucket in ipairs(key.buckets) do
      if bucket.total > 0 then
        buckets[#buckets + 1], full = bucket, math.max(full, bucket.total / bucket.flow)
      end
    end
    local state, format = stateOf(key.at, buckets)
    return write(call, name, format, state, full, option, offset)
  end

  return slow
end

return run(KEYS, ARGV, redis.pcall, makeSlowPath)
