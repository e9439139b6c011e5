// Shows openapi.json as a page. All text of the document is set as text, never as HTML.
'use strict';

let api;

/** An element with attributes and children; strings become text. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== ''));
  return element;
}

/** The little of Markdown that descriptions use: `code` and **bold**. */
function inline(text) {
  return String(text || '').split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (piece.length > 2 && piece.startsWith('`')) {
      return el('code', {}, piece.slice(1, -1));
    }
    return piece.length > 4 && piece.startsWith('**') ? el('strong', {}, piece.slice(2, -2)) : piece;
  });
}

function paragraphs(text) {
  return String(text || '').split(/\n\s*\n/).map((part) => el('p', {}, inline(part)));
}

/** What a reference of this document leads to. */
function resolved(value) {
  if (!value || !value.$ref) {
    return value || {};
  }
  return value.$ref.slice(2).split('/')
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'))
    .reduce((node, step) => (node || {})[step], api) || {};
}

const nameOf = (reference) => reference.slice(reference.lastIndexOf('/') + 1);

/** The type of a schema in words, with links to the schemas that it names. */
function typeOf(schema) {
  if (!schema || Object.keys(schema).length === 0) {
    return ['anything'];
  }
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return [el('a', {href: '#schema-' + name}, name)];
  }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    if (schema[key]) {
      const word = key === 'allOf' ? ' and ' : ' or ';
      return schema[key].flatMap((each, i) => [i ? word : '', ...typeOf(each)]);
    }
  }
  if (schema.const !== undefined) {
    return [el('code', {}, JSON.stringify(schema.const))];
  }
  if (schema.enum) {
    return schema.enum.flatMap((each, i) => [i ? ', ' : '', el('code', {}, String(each))]);
  }
  const types = [].concat(schema.type || 'object');
  const rest = ['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'default']
    .filter((key) => schema[key] !== undefined).map((key) => `${key} ${schema[key]}`);
  const bounds = rest.length ? ` (${rest.join(', ')})` : '';
  if (types.length === 1 && types[0] === 'array') {
    return ['array of ', ...typeOf(schema.items), bounds];
  }
  return [types.join(' or ') + bounds];
}

function table(heads, rows) {
  return el('div', {class: 'table'}, el('table', {},
    el('thead', {}, el('tr', {}, heads.map((head) => el('th', {scope: 'col'}, head)))),
    el('tbody', {}, rows.map((cells) => el('tr', {}, cells.map((cell) => el('td', {}, cell)))))));
}

/** The members of an object, those of objects inside of it with their path. */
function members(schema, path = '') {
  const required = schema.required || [];
  return Object.entries(schema.properties || {}).flatMap(([name, member]) => [
    [
      [el('code', {}, path + name), required.includes(name) ? '' : ' (optional)'],
      typeOf(member),
      inline(member.description),
    ],
    ...members(member, path + name + '.'),
    ...members((member.items && !member.items.$ref && member.items) || {}, path + name + '[].'),
  ]);
}

function shape(schema) {
  const rows = members(schema);
  return [
    ...paragraphs(schema.description),
    rows.length ? table(['Member', 'Type', 'Meaning'], rows) : el('p', {}, 'Type: ', typeOf(schema)),
    ...(schema.examples || []).slice(0, 1).map((example) => el('pre', {tabindex: '0'}, JSON.stringify(example, null, 2))),
  ];
}

function contents(content) {
  return Object.entries(content || {}).flatMap(([type, body], i) =>
    [i ? ', ' : '', el('code', {}, type), ': ', ...typeOf(body.schema)]);
}

function operationSection(method, path, operation) {
  const open = operation.security && operation.security.length === 0;
  const parameters = (operation.parameters || []).map(resolved);
  const body = operation.requestBody;
  return el('section', {id: operation.operationId},
    el('h3', {}, el('span', {class: 'method'}, method.toUpperCase()), ' ', el('code', {}, path)),
    paragraphs(operation.summary),
    open ? el('p', {class: 'soft'}, 'Needs no key.') : '',
    parameters.length ? [el('h4', {}, 'Parameters'), table(['Name', 'In', 'Type', 'Meaning'], parameters.map((each) =>
      [[el('code', {}, each.name), each.required ? '' : ' (optional)'], each.in, typeOf(each.schema), inline(each.description)]))] : [],
    body ? [el('h4', {}, body.required ? 'Body' : 'Body (optional)'), el('p', {}, contents(body.content))] : [],
    el('h4', {}, 'Answers'),
    table(['Status', 'Meaning', 'Body'], Object.entries(operation.responses).map(([status, answer]) =>
      [status, inline(resolved(answer).description), contents(resolved(answer).content)])));
}

function show() {
  const nav = document.getElementById('contents');
  const main = document.getElementById('content');
  main.replaceChildren(
    el('h1', {}, api.info.title, ' ', el('small', {}, api.info.version)),
    ...paragraphs(api.info.description),
    el('p', {}, 'The document itself: ', el('a', {href: 'openapi.json'}, 'openapi.json')));
  for (const tag of api.tags) {
    const links = el('ul', {});
    main.append(el('h2', {id: 'tag-' + tag.name}, tag.name), ...paragraphs(tag.description));
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (method !== 'head' && operation.tags.includes(tag.name)) {
          main.append(operationSection(method, path, operation));
          links.append(el('li', {}, el('a', {href: '#' + operation.operationId},
            el('span', {class: 'method'}, method.toUpperCase()), ' ' + path)));
        }
      }
    }
    nav.append(el('h2', {}, tag.name), links);
  }
  const schemas = el('ul', {});
  main.append(el('h2', {}, 'Schemas'));
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    main.append(el('section', {id: 'schema-' + name}, el('h3', {}, name), shape(schema)));
    schemas.append(el('li', {}, el('a', {href: '#schema-' + name}, name)));
  }
  nav.append(el('h2', {}, 'Schemas'), schemas);
  if (location.hash) {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) {
      target.scrollIntoView();
    }
  }
}

fetch('openapi.json')
  .then((response) => (response.ok ? response.json() : Promise.reject(new Error('status ' + response.status))))
  .then((json) => {
    api = json;
    show();
  })
  .catch((error) => {
    document.getElementById('state').textContent = 'openapi.json could not be shown: ' + error.message;
  });
