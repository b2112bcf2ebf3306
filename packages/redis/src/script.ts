import { createHash } from 'node:crypto'
import { MOST_AHEAD, MOST_SAFE, NOT_OURS, RARE } from './script-rare.js'

/*
 * The arithmetic of core's `bucket.ts`, operation by operation, on the same doubles: every product is either below 2^53 or
 * compared in a way that does not need it exact. docs/decisions/redis-layout.md says why a key is one packed value.
 *
 * What is stored at a key: for each bucket a line of text, "grain flow burst wholeBurst name\n"; then, packed by `struct`
 * without padding (8 bytes each), at and what each bucket owes.
 *
 * A line is a definition as the caller writes it, so that two definitions are the same where their text is. A key expires
 * in the millisecond in which its buckets are full, and one that owes nothing is deleted.
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
 * What nearly every request does has a short form: `one` is a take of one key with three numbers to a limit, which all
 * three counts go without.
 *
 * The answer is one flat list of whole numbers, those of 2^52 and more as text. For a take or peek: 1 or 0 (allowed or not)
 * plus twice the number of redefined buckets; for each key how far the clock is behind it, then what each bucket owes;
 * last, the places of the redefined ones, from 1. For settle and reset: 1. An item that failed is one text, `!` and what
 * was wrong. What stands behind the last item means nothing.
 */
export const SCRIPT = `
-- A state is what a key holds, in a list: its lines, at, what each bucket owes. Behind them struct.unpack leaves a number.
-- Functions are given what they need, since each variable that one shares with its outside costs as much as a dozen
-- additions, in every call.

-- Keeps a state until its buckets are full, and so many milliseconds more, by this option of SET. The time is a text: one
-- that is a number Redis first writes out with 17 digits.
local function save(call, key, state, format, full, option, more)
  if full == 0 then
    local done = call('DEL', key)
    return type(done) == 'table' and done.err
  end
  local ends = state[2] + full + more
  return call('SET', key, struct.pack(format, unpack(state)), option, string.format('%d', ends + -ends % 1)).err
end

${RARE}
-- What a key holds, as a state under these lines, and for how many milliseconds it drains; or nil, and what failed.
local function read(call, key, lines, last, format, now)
  local value = call('GET', key)
  if not value then
    local state = { lines, now }
    for j = 3, last do state[j] = 0 end
    return state, 0
  end
  if #value == #lines + 8 * (last - 1) then
    local state = { struct.unpack(format, value) }
    if state[1] == lines then
      local elapsed = now - state[2]
      if elapsed >= 0 then
        state[2] = now
        return state, elapsed
      end
      if elapsed < -${MOST_AHEAD} then state[2] = now end
      return state, 0
    end
  elseif type(value) == 'table' then
    return nil, value.err
  end
  local state = makeRare(now).reopen(value, lines)
  return state, state and 0 or ${NOT_OURS}
end

-- First asks every bucket of an item, then takes from every one. Gives the replies, how many these are, and what failed.
local function take(call, KEYS, k, keys, ARGV, first, stride, commits, now, option, more, replies, r)
  local allowed, most, a, states, state = 1, 0, first, nil, nil
  for i = 1, keys do
    local lines, format = ARGV[a], ARGV[a + 1]
    local last, elapsed = #format - 9, nil
    state, elapsed = read(call, KEYS[k + i], lines, last, format, now)
    if not state then return replies, r, elapsed end
    if keys > 1 then
      states = states or {}
      states[i] = state
    end
    a = a + 2
    for j = 3, last do
      local owed = state[j] - elapsed * ARGV[a]
      if stride == 4 then owed = owed - ARGV[a + 3] end
      if owed < 0 then owed = 0 end
      if owed > ARGV[a + 1] + 0 then allowed = 0 end
      state[j] = owed
      a = a + stride
    end
  end

  local head, places = r + 1, nil
  a, r = first, head
  for i = 1, keys do
    if states then state = states[i] end
    local format, full, redefined, ahead = ARGV[a + 1], state.full or 0, state.redefined, state[2] - now
    local last = #format - 9
    a = a + 2
    for j = 3, last do
      local owed = state[j]
      -- What fits never passes 2^53: the size and the whole burst of a limit together do not.
      if allowed == 1 then
        owed = owed + ARGV[a + 2]
        state[j] = owed
      end
      if owed > most then most = owed end
      local drains = owed / ARGV[a]
      if drains > full then full = drains end
      a = a + stride
    end
    if commits then
      local failed = save(call, KEYS[k + i], state, state.format or format, full, option, more)
      if failed then return replies, r, failed end
    end
    if head == 1 and keys == 1 and most < ${MOST_SAFE} and not redefined then
      -- Nearly always the state becomes the reply: its lines and at make room, what struct.unpack left goes.
      state[2], state[last + 1] = ahead, nil
      replies, r = state, last
    else
      r = r + 1
      replies[r] = ahead
      for j = 3, last do
        local owed = state[j]
        r = r + 1
        replies[r] = owed < ${MOST_SAFE} and owed or string.format('%.17g', owed)
        if redefined and redefined[j - 2] then
          places = places or {}
          places[#places + 1] = r - head - i
        end
      end
    end
  end
  replies[head] = allowed
  if places then
    replies[head] = allowed + 2 * #places
    for _, place in ipairs(places) do
      r = r + 1
      replies[r] = place
    end
  end
  return replies, r
end

local ARGV, KEYS, call = ARGV, KEYS, redis.pcall
local now, option, more = ARGV[1], 'PXAT', 0
if now == '' then
  local time = call('TIME')
  local ms = time[2] / 1000
  now = time[1] * 1000 + ms - ms % 1
else
  -- Nobody knows how long a second of a given time takes.
  now = tonumber(now)
  option, more = 'PX', 3600000 - now
end

local replies, r, k, a, rare = {}, 0, 0, 2, nil
while ARGV[a] do
  local operation, head, keys, after, failed = ARGV[a], r + 1, 1, nil, nil
  if operation == 'one' then
    after = a + 3 + 3 * (#ARGV[a + 2] - 11)
    replies, r, failed = take(call, KEYS, k, 1, ARGV, a + 1, 3, true, now, option, more, replies, r)
  else
    keys, after, a = tonumber(ARGV[a + 1]), a + 3 + ARGV[a + 2], a + 3
    if operation == 'take' or operation == 'peek' then
      local stride, commits = tonumber(ARGV[a]), operation == 'take'
      replies, r, failed = take(call, KEYS, k, keys, ARGV, a + 1, stride, commits, now, option, more, replies, r)
    else
      rare = rare or makeRare(now)
      for i = 1, keys do
        if operation == 'settle' then
          failed = rare.settle(call, KEYS[k + i], ARGV[a], tonumber(ARGV[a + 1]), option, more)
          a = a + 2
        else
          failed = rare.reset(call, KEYS[k + i])
        end
        if failed then break end
      end
      r = head
      replies[r] = 1
    end
  end
  if failed then
    -- A master that has become a replica: all of it fails, so that a client may hear it and look for the new master.
    if string.find(string.sub(failed, 1, 12), 'READONLY', 1, true) then return redis.error_reply(failed) end
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
