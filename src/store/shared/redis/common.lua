-- What several operations need. `instant()` stands in front: the server's clock in milliseconds.
-- The rules are those of src/rules/budget and src/rules/lease; one suite of tests holds both to them.
local LARGEST = 9007199254740991

-- A number as text in full: Lua alone would write large ones with an exponent.
local function whole(number)
  return string.format('%.0f', number)
end

-- Notes that a worker is at work. What it does not say stays.
local function beat(seen, workers, now, name, said, task)
  if said == '' then
    return
  end
  local known = cjson.decode(redis.call('HGET', workers, name) or '{}')
  for key, value in pairs(cjson.decode(said)) do
    known[key] = value
  end
  known.task = task or known.task
  known.at = now
  redis.call('HSET', workers, name, cjson.encode(known))
  redis.call('ZADD', seen, now, name)
  local old = redis.call('ZRANGEBYSCORE', seen, '-inf', whole(now - 86400000))
  for _, gone in ipairs(old) do
    redis.call('HDEL', workers, gone)
    redis.call('ZREM', seen, gone)
  end
  redis.call('PEXPIRE', workers, 86400000)
  redis.call('PEXPIRE', seen, 86400000)
end

-- The claims of a plan that have not run out: task -> { worker, until, 1 where it is done }; and the tasks of those that have.
local function claims(key, now)
  local live, dead = {}, {}
  local rows = redis.call('HGETALL', key)
  for i = 1, #rows, 2 do
    local till, done, worker = string.match(rows[i + 1], '^(%d+) ([01]) (.*)$')
    if till and tonumber(till) > now then
      live[rows[i]] = { worker, tonumber(till), tonumber(done) }
    else
      dead[#dead + 1] = rows[i]
    end
  end
  return live, dead
end

-- Those claims as a list, for the answer.
local function listed(live)
  local list = {}
  for task, lease in pairs(live) do
    list[#list + 1] = { task, lease[1], lease[2], lease[3] }
  end
  return list
end

-- Writes a claim, which keeps the plan's claims for at least as long.
local function keep(key, task, worker, now, length, done)
  redis.call('HSET', key, task, whole(now + length) .. ' ' .. done .. ' ' .. worker)
  if redis.call('PTTL', key) < length then
    redis.call('PEXPIRE', key, whole(length))
  end
end

-- What was spent by steps of a budget: those that count, their sum, and the names of the others.
local function spent(key, now, step)
  local rows, list, sum, old = redis.call('HGETALL', key), {}, { 0, 0, 0 }, {}
  local first = math.floor(now / step) - 60
  for i = 1, #rows, 2 do
    if tonumber(rows[i]) >= first then
      local calls, tokens, cost = string.match(rows[i + 1], '^(%d+) (%d+) (%d+)$')
      list[#list + 1] = { rows[i], calls, tokens, cost }
      sum = { sum[1] + calls, sum[2] + tokens, sum[3] + cost }
    else
      old[#old + 1] = rows[i]
    end
  end
  return list, sum, old
end

-- Adds to one step of a budget, of which `list` has what counts.
local function add(key, now, step, list, calls, tokens, cost)
  local at = whole(math.floor(now / step))
  local row
  for _, present in ipairs(list) do
    if present[1] == at then
      row = present
    end
  end
  if not row then
    row = { at, 0, 0, 0 }
    list[#list + 1] = row
  end
  for n, more in ipairs({ calls, tokens, cost }) do
    row[n + 1] = whole(math.min(LARGEST, row[n + 1] + more))
  end
  redis.call('HSET', key, at, row[2] .. ' ' .. row[3] .. ' ' .. row[4])
  redis.call('PEXPIRE', key, whole(step * 62))
end

-- The plan limit: until when, and by whom; 0 where there is none.
local function plan(key, now)
  local till, by = string.match(redis.call('GET', key) or '', '^(%d+) (.*)$')
  if till and tonumber(till) > now then
    return tonumber(till), by
  end
  return 0, ''
end
