-- Admits calls by every budget or by none, and counts them and what was used.
-- KEYS: the operation, plan limit, seen, workers, then each budget.
-- ARGV: the instant after which nobody waits for the answer, calls, tokens, cost, worker, what it says; then for each
-- budget its step and its limits of calls, tokens and cost, -1 for none.
local now = instant()
local late = now > tonumber(ARGV[1])
local calls, tokens, cost = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local till, by = plan(KEYS[2], now)
local before = redis.call('GET', KEYS[1])
local admitted = calls == 0 or till == 0
local budgets, steps, olds = {}, {}, {}
local count = not (late or before)
for n = 5, #KEYS do
  local at = 7 + (n - 5) * 4
  local step = tonumber(ARGV[at])
  local list, sum, old = spent(KEYS[n], now, step)
  local limits = { tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]) }
  if calls > 0 then
    if limits[1] >= 0 and sum[1] + calls > limits[1] then
      admitted = false
    end
    if (limits[2] >= 0 and sum[2] >= limits[2]) or (limits[3] >= 0 and sum[3] >= limits[3]) then
      admitted = false
    end
  end
  budgets[#budgets + 1] = list
  steps[#steps + 1] = step
  olds[#olds + 1] = old
end
if before then
  admitted = before == '1'
elseif late then
  admitted = false
end
if count then
  -- First of all, and it needs memory: a server that has none refuses here, before anything is counted.
  redis.call('SET', KEYS[1], admitted and '1' or '0', 'PX', 120000)
  local counted = admitted and calls or 0
  if counted + tokens + cost > 0 then
    for n, list in ipairs(budgets) do
      local key = KEYS[n + 4]
      add(key, now, steps[n], list, counted, tokens, cost)
      for _, gone in ipairs(olds[n]) do
        redis.call('HDEL', key, gone)
      end
    end
  end
  beat(KEYS[3], KEYS[4], now, ARGV[5], ARGV[6])
end
return { now, admitted and 1 or 0, late and not before and 1 or 0, till, by, budgets }
