// A scripted server of Chat Completions alone, such as vLLM or llama.cpp, for .ci/clients: it plays a model that uses the tools of
// whoever asks. Node's own modules only.  node chat-server.mjs PORT
//   GET /calls     what was asked, what was answered, and what was wrong with it; DELETE /calls forgets it
// The newest CASE of the user's texts decides, "CASE-edit /folder" for one:
//   edit      lists the folder, changes "apples" to "pears" in its list.txt, and says so
//   parallel  asks for two commands at once
//   image     asks to see picture.png, or says that it sees one
//   long      reads until the request is longer than what it takes, which it says in vLLM's words (long-vllm) or llama.cpp's (long-llama)
//   busy      answers 429 with Retry-After once, and then as asked
//   slow      writes a word each tenth of a second until nobody reads any more
//   note      remembers; word: says what the note was, if it came with the request
// The model "locked" is answered with 401. What is no valid request of Chat is 400, and stands among the faults. Models named after
// Qwen and Devstral have the rules of their chat templates: what these refuse is 400 in their words, and stands as refused.
import http from 'node:http';

const port = Number(process.argv[2]);
const longest = 60_000;
let calls = [], busy = new Set();

const texts = c => typeof c === 'string' ? c : Array.isArray(c) ? c.map(p => p.text ?? '').join('\n') : '';
const isObject = v => v !== null && typeof v === 'object' && !Array.isArray(v);

// Members of a request, the roles' members, and their parts, as the public reference has them.
const requests = ['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_tokens',
  'max_completion_tokens', 'temperature', 'top_p', 'stop', 'n', 'seed', 'response_format', 'reasoning_effort', 'prompt_cache_key',
  'metadata', 'user', 'store', 'verbosity', 'service_tier', 'frequency_penalty', 'presence_penalty', 'logprobs', 'top_logprobs',
  'safety_identifier'];
const roles = {
  system: ['role', 'content', 'name'], developer: ['role', 'content', 'name'], user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'refusal', 'tool_calls', 'reasoning_content', 'reasoning', 'reasoning_details'],
  tool: ['role', 'content', 'tool_call_id'],
};
const parts = {system: ['text'], developer: ['text'], tool: ['text'], assistant: ['text', 'refusal'],
  user: ['text', 'image_url', 'input_audio', 'file']};

// What is wrong with a request, a sentence each.
function faults(body) {
  const wrong = [], say = words => wrong.push(words);
  for (const member of Object.keys(body)) if (!requests.includes(member)) say(`unknown member ${member}`);
  if (!Array.isArray(body.messages) || body.messages.length === 0) return [...wrong, 'no messages'];
  const ids = new Set();
  let open = [], before = null;
  body.messages.forEach((m, i) => {
    const at = `messages[${i}]`;
    if (!roles[m.role]) return say(`${at}: role ${m.role}`);
    for (const member of Object.keys(m)) if (!roles[m.role].includes(member)) say(`${at}: unknown member ${member}`);
    if (Array.isArray(m.content)) {
      if (m.content.length === 0) say(`${at}: no parts`);
      for (const p of m.content) {
        if (!parts[m.role].includes(p.type)) say(`${at}: a part ${p.type} of ${m.role}`);
        if (p.type === 'text' && typeof p.text !== 'string') say(`${at}: a text without text`);
        if (p.type === 'image_url' && !/^(data:image\/|https?:)/.test(p.image_url?.url ?? '')) say(`${at}: an image without address`);
      }
    } else if (typeof m.content !== 'string' && !(m.role === 'assistant' && m.content == null && m.tool_calls)) say(`${at}: no content`);
    if (m.role === 'tool') {
      if (!open.includes(m.tool_call_id)) say(`${at}: a result of no call before it`);
      open = open.filter(id => id !== m.tool_call_id);
    } else if (open.length) {
      say(`${at}: calls without results before it: ${open}`);
      open = [];
    }
    for (const call of m.tool_calls ?? []) {
      if (call.type !== 'function' || !/^[a-zA-Z0-9_-]{1,64}$/.test(call.function?.name ?? '')) say(`${at}: a call of no function`);
      if (typeof call.id !== 'string' || ids.has(call.id)) say(`${at}: call ${call.id} twice or without id`);
      ids.add(call.id);
      open.push(call.id);
      try {
        if (!isObject(JSON.parse(call.function.arguments))) say(`${at}: arguments that are no object`);
      } catch {
        say(`${at}: arguments that are no JSON`);
      }
    }
    if (m.tool_calls && m.tool_calls.length === 0) say(`${at}: no calls`);
    const text = JSON.stringify(m);
    if (text === before) say(`${at}: the message before it again`);
    before = text;
  });
  if (open.length) say(`calls without results at the end: ${open}`);
  const names = new Set();
  for (const t of body.tools ?? []) {
    const f = t.function;
    if (t.type !== 'function' || !/^[a-zA-Z0-9_-]{1,64}$/.test(f?.name ?? '')) say(`tool ${JSON.stringify(t).slice(0, 80)}`);
    else if (names.has(f.name)) say(`tool ${f.name} twice`);
    else if (f.parameters !== undefined && f.parameters.type !== 'object') say(`tool ${f.name}: parameters of type ${f.parameters.type}`);
    names.add(f?.name);
  }
  if (body.tools && body.tools.length === 0) say('tools without a tool');
  if (body.tool_choice !== undefined && !body.tools) say('tool_choice without tools');
  if (isObject(body.tool_choice) && !names.has(body.tool_choice.function?.name)) say('tool_choice of no tool');
  return wrong;
}

// What a chat template refuses, in its words: of Qwen's as vLLM says it, of Mistral's as its API and its servers do.
function refusal({model, messages}) {
  const [first, ...rest] = messages, behind = first.role === 'system' ? rest : messages;
  if (/qwen/.test(model)) return behind.some(m => m.role === 'system') ? 'System message must be at the beginning.' : null;
  if (!/stral/.test(model)) return null;
  const follow = {system: ['system', 'user', 'assistant'], user: ['system', 'user', 'assistant'], assistant: ['assistant', 'user', 'tool'],
    tool: ['assistant', 'tool']};
  const at = messages.findIndex((m, i) => i && !follow[messages[i - 1].role].includes(m.role));
  if (at > 0) return `Unexpected role '${messages[at].role}' after role '${messages[at - 1].role}'`;
  if (messages.at(-1).role === 'assistant') return 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant';
  const id = messages.flatMap(m => [...(m.tool_calls ?? []).map(c => c.id), m.tool_call_id ?? []]).flat().find(i => !/^[a-zA-Z0-9]{9}$/.test(i));
  if (id) return `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
  const turns = behind.filter(m => m.role !== 'tool' && !m.tool_calls);
  return turns.some((m, i) => (m.role === 'user') !== (i % 2 === 0)) ? 'After the optional system message, conversation roles must '
    + 'alternate user and assistant roles except for tool calls and results.' : null;
}

// The tool of one of the names, with what it is asked for: agents name theirs differently.
function call(body, choices) {
  for (const [name, input] of choices) {
    const tool = (body.tools ?? []).find(t => t.function.name === name);
    if (tool) return {name, arguments: JSON.stringify(typeof input === 'function' ? input(tool.function.parameters ?? {}) : input)};
  }
  return null;
}
const run = (body, command) => call(body, [
  ['Bash', {command, description: 'Runs a command'}], ['bash', {command, description: 'Runs a command'}],
  ['exec_command', {cmd: command}], ['shell_command', {command}], ['shell', {command: ['bash', '-c', command]}],
  ['run', {command}],
]);
const patch = (folder, from, to) => `*** Begin Patch\n*** Update File: ${folder}/list.txt\n@@\n-${from}\n+${to}\n*** End Patch\n`;
const edit = (body, folder) => call(body, [
  ['Edit', {file_path: `${folder}/list.txt`, old_string: 'apples', new_string: 'pears'}],
  ['edit', {filePath: `${folder}/list.txt`, oldString: 'apples', newString: 'pears'}],
  ['apply_patch', p => ({[Object.keys(p.properties ?? {input: 0})[0]]: patch(folder, 'apples', 'pears')})],
]) ?? run(body, `sed -i s/apples/pears/ ${folder}/list.txt`);
const read = (body, file) => call(body, [['Read', {file_path: file}], ['read', {filePath: file}]]) ?? run(body, `cat ${file}`);
const see = (body, file) => call(body, [['Read', {file_path: file}], ['view_image', {path: file}], ['read', {filePath: file}]]);

// What the model says or asks for: {text}, {calls}, {slow} or {status, error, headers}
function play(body) {
  const messages = body.messages;
  let at = -1, name = '', folder = '';
  messages.forEach((m, i) => {
    const found = m.role === 'user' && [...texts(m.content).matchAll(/CASE-([a-z-]+)(?: (\/[^\s"'`]+))?/g)].at(-1);
    if (found) [at, name, folder] = [i, found[1], found[2] ?? folder];
  });
  if (body.model === 'locked') return {status: 401, error: {message: 'invalid key', type: 'authentication_error', code: 'invalid_api_key'}};
  const last = texts(messages.findLast(m => m.role === 'user')?.content);
  const summary = /summary of (the|this|our) conversation|CONTEXT CHECKPOINT COMPACTION|create a detailed summary|Summarize the conversation/i.test(last);
  const length = JSON.stringify(messages).length;
  if (name.startsWith('long') && length > longest * 4 && !summary) {
    const tokens = Math.ceil(length / 4);
    return name === 'long-llama' ? {status: 400, error: {code: 400, type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: longest,
      message: `request (${tokens} tokens) exceeds the available context size (${longest} tokens), try increasing it`}}
      : {status: 400, error: {type: 'BadRequestError', param: null, code: 400, message: `This model's maximum context length is ${longest} tokens. `
        + `However, you requested ${tokens} tokens in the messages, Please reduce the length of the messages.`}};
  }
  if (summary) return {text: `<summary>The user wants ${name ? `CASE-${name} ${folder}` : 'nothing'}; the big file was read: COMPACTED.</summary>`};
  if (!body.tools?.length && name !== 'word' && name !== 'slow') return {text: 'A short title'};
  const results = messages.slice(at + 1).filter(m => m.role === 'tool').length;
  const said = texts(messages.findLast(m => m.role === 'tool')?.content);
  const image = messages.some(m => Array.isArray(m.content) && m.content.some(p => p.type === 'image_url'));
  switch (name) {
    case 'edit': return results === 0 ? {calls: [run(body, `ls ${folder}`)]} : results === 1 ? {calls: [read(body, `${folder}/list.txt`)]}
      : results === 2 ? {calls: [edit(body, folder)]} : {text: 'EDITED the list.'};
    case 'parallel': return results === 0 ? {calls: [run(body, `cat ${folder}/one.txt`), run(body, `cat ${folder}/two.txt`)]}
      // By the order of the calls: that of the results is the one in which they ended.
      : {text: `BOTH: ${messages.findLast(m => m.tool_calls).tool_calls.map(({id}) =>
        /number-\w+/.exec(texts(messages.findLast(m => m.tool_call_id === id)?.content))?.[0]).join(' ')}.`};
    case 'image': return image ? {text: 'SEEN the picture.'} : results === 0 && see(body, '') ? {calls: [see(body, `${folder}/picture.png`)]}
      : {text: 'There is no picture.'};
    case 'long-vllm': case 'long-llama': return /COMPACTED/.test(JSON.stringify(messages)) ? {text: 'GONE ON after the summary.'}
      : {calls: [run(body, `head -c 20000 ${folder}/big.txt`)]};
    case 'busy': if (busy.has(folder)) return {text: 'SERVED at last.'};
      busy.add(folder);
      return {status: 429, error: {message: 'too many requests', type: 'rate_limit_error', code: null}, headers: {'retry-after': '1'}};
    case 'slow': return {slow: true};
    case 'note': return {text: 'NOTED.'};
    case 'word': return {text: `The word is ${/note: (\w+)/.exec(JSON.stringify(messages))?.[1] ?? 'unknown'}.`};
    default: return {text: `Said: ${last.slice(-80)} ${said.slice(-80)}`.trim()};
  }
}

const usageOf = (raw, text) => ({prompt_tokens: Math.ceil(raw.length / 4), completion_tokens: Math.ceil(text.length / 4) + 1,
  total_tokens: Math.ceil(raw.length / 4) + Math.ceil(text.length / 4) + 1});

async function stream(response, head, played, usage, me) {
  response.writeHead(200, {'content-type': 'text/event-stream; charset=utf-8'});
  response.on('close', () => { me.cancelled = !response.writableEnded; });
  const send = o => response.write(`data: ${JSON.stringify({...head, object: 'chat.completion.chunk', ...o})}\n\n`);
  const delta = (d, finish_reason = null) => send({choices: [{index: 0, delta: d, finish_reason}]});
  delta({role: 'assistant', content: ''});
  for (let i = 0; played.slow && i < 600 && !response.destroyed; i++) {
    delta({content: `word${i} `});
    await new Promise(done => setTimeout(done, 100));
  }
  for (const word of (played.text ?? '').split(/(?<= )/)) if (word) delta({content: word});
  played.calls?.forEach((c, index) => {
    const half = c.arguments.length >> 1;
    delta({tool_calls: [{index, id: c.id, type: 'function', function: {name: c.name, arguments: ''}}]});
    delta({tool_calls: [{index, function: {arguments: c.arguments.slice(0, half)}}]});
    delta({tool_calls: [{index, function: {arguments: c.arguments.slice(half)}}]});
  });
  delta({}, played.calls ? 'tool_calls' : 'stop');
  if (usage) send({choices: [], usage});
  response.end('data: [DONE]\n\n');
}

let number = 0;
http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = Buffer.concat(chunks).toString();
  const json = (status, o, headers = {}) => {
    response.writeHead(status, {'content-type': 'application/json', ...headers});
    response.end(JSON.stringify(o));
  };
  if (request.url === '/calls') {
    if (request.method === 'DELETE') calls = [];
    return json(200, calls);
  }
  if (request.url === '/v1/models') return json(200, {object: 'list', data: [{id: 'scripted', object: 'model', created: 1, owned_by: 'here'}]});
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    calls.push({path: request.url, faults: ['no such path']});
    return json(404, {detail: 'Not Found'});
  }
  const body = JSON.parse(raw), wrong = faults(body), me = {path: request.url, body, faults: wrong};
  calls.push(me);
  if (wrong.length) return json(400, {error: {message: wrong.join('; '), type: 'BadRequestError', param: null, code: 400}});
  me.refused = refusal(body);
  if (me.refused) return json(400, {error: {message: me.refused, type: 'BadRequestError', param: null, code: 400}});
  const played = play(body);
  me.answer = played;
  if (played.status) return json(played.status, {error: played.error}, played.headers);
  played.calls?.forEach((c, i) => {
    c.id = /stral/.test(body.model) ? `call${String(++number).padStart(5, '0')}` : `chatcmpl-tool-${++number}-${i}`;
  });
  const text = played.text ?? JSON.stringify(played.calls ?? ''), usage = usageOf(raw, text);
  const head = {id: `chatcmpl-${++number}`, created: 1764000000, model: body.model};
  if (body.stream) return stream(response, head, played, body.stream_options?.include_usage && usage, me);
  const message = {role: 'assistant', content: played.text ?? null,
    ...played.calls && {tool_calls: played.calls.map(({id, ...f}) => ({id, type: 'function', function: f}))}};
  json(200, {...head, object: 'chat.completion', choices: [{index: 0, message, finish_reason: played.calls ? 'tool_calls' : 'stop'}], usage});
}).listen(port, '127.0.0.1');
