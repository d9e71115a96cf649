-- Requests for wrk. Each envelope has an id of its own, because the relay does not forward duplicates.
-- Arguments after `--`: the DSN, bytes of the payload, an id prefix for this run.
local head, tail
local made = 0

function init(args)
  local dsn, bytes = args[1], tonumber(args[2])
  local run = args[3]
  local payload = string.rep("a", bytes)
  local item = string.format('{"type":"attachment","length":%d}\n%s\n', bytes, payload)
  local before = '{"event_id":"' .. run
  local after = string.format('","dsn":"%s"}\n', dsn)
  local length = #before + 16 + #after + #item
  head = string.format(
    "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: wrk\r\nContent-Type: text/plain;charset=UTF-8\r\nContent-Length: %d\r\n\r\n%s",
    wrk.path, wrk.headers["Host"], length, before)
  tail = after .. item
end

function request()
  made = made + 1
  return head .. string.format("%016x", made) .. tail
end

function done(summary)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d\n", summary.requests, summary.duration,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
