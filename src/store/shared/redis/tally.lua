-- What counts; writes nothing.
-- KEYS: plan limit, then each budget. ARGV: the steps of the budgets.
local now = instant()
local till, by = plan(KEYS[1], now)
local budgets = {}
for n = 2, #KEYS do
  budgets[#budgets + 1] = (spent(KEYS[n], now, tonumber(ARGV[n - 1])))
end
return { now, 1, 0, till, by, budgets }
