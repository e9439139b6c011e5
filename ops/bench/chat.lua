-- One chat completion, over and over, for the model BENCH_MODEL. Prints one line of JSON in the end.
wrk.method = "POST"
wrk.path = "/v1/chat/completions"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY")
wrk.body = '{"model":"' .. (os.getenv("BENCH_MODEL") or "openai/gpt-5-mini")
  .. '","messages":[{"role":"system","content":"You are a helpful assistant."},'
  .. '{"role":"user","content":"What is the capital of France?"}],"temperature":0.2}'

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"rps":%.0f,"p50_ms":%.2f,"p99_ms":%.2f,"errors":%d,"failures":"%s"}\n',
    summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    string.format("connect %d, read %d, write %d, status %d, timeout %d",
      errors.connect, errors.read, errors.write, errors.status, errors.timeout)))
end
