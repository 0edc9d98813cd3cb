import { placeOf } from '@latchkey/kernel';
import { valueProblems } from './check-json.ts';
import { findOperation } from './contracts.ts';
import { type Problem, problemAt, type Sample } from './read-samples.ts';

/** Looks whether a request that is written out names an operation, with parameters and a body that it takes. */
export function checkHttp(sample: Sample): Problem[] {
  const [head = '', ...rest] = sample.text.split(/\n\s*\n/);
  const body = rest.join('\n\n').trim();
  const [requestLine = '', ...headers] = head.split('\n');
  // What a reader fills in, such as `<client id>`, is one part of the path.
  const [, method = '', target = ''] = /^([A-Z]+) (\/(?:<[^>]+>|\S)*)(?: HTTP\/1\.1)?$/.exec(requestLine) ?? [];
  const [path = '', query = ''] = target.split('?');
  const operation = findOperation(method, path);
  if (operation === undefined) return [problemAt(sample, `"${requestLine}" is a request to no operation`)];
  const problems = headers.flatMap((header, index) =>
    /^[\w-]+: \S/.test(header) ? [] : [problemAt(sample, `"${header}" is no header`, index + 1)],
  );
  for (const name of new URLSearchParams(query).keys()) {
    const schema = operation.params[name];
    if (schema === undefined || placeOf(operation, name, schema) !== 'query')
      problems.push(problemAt(sample, `${operation.route} has no parameter ${name}`));
  }
  if (body === '') return problems;
  const bodyLine = head.split('\n').length + 1;
  try {
    const texts = operation.body?.kind === 'json' ? valueProblems(operation, 'body', JSON.parse(body)) : [];
    return [...problems, ...texts.map((text) => problemAt(sample, text, bodyLine))];
  } catch (error) {
    return [...problems, problemAt(sample, `has a body that is no JSON: ${error}`, bodyLine)];
  }
}
