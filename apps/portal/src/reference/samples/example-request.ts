import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { readExamples } from '@latchkey/server/examples';
import { modelOf, type OperationModel } from '../../../reference/model.ts';
import { readDescription } from '../../../reference/read-description.ts';
import { noCredential } from '../try-it/credential.ts';
import { prepare } from '../try-it/prepare.ts';
import { startInputs } from './start-inputs.ts';

interface ExampleRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: [name: string, value: string][];
  body: string | undefined;
}

let operations: ReadonlyMap<string, OperationModel> | undefined;

/** Returns the request that the reference shows for an operation and that its console starts with, without a credential. */
export function exampleRequest(route: string): ExampleRequest {
  operations ??= readOperations();
  const operation = operations.get(route);
  if (operation === undefined) throw new Error(`The reference has no ${route}.`);
  const checked = prepare(operation, startInputs(operation), '', noCredential);
  if ('problems' in checked) throw new Error(`${route}: ${JSON.stringify(checked.problems)}`);
  const { method, url, headers, body } = checked.prepared;
  const fields = body?.kind === 'form' ? body.fields.map(({ name, value }) => [name, value]) : [];
  return {
    method,
    target: url,
    headers: headers.map(({ name, value }) => [name, value]),
    body: body?.kind === 'json' ? body.text : body && new URLSearchParams(fields).toString(),
  };
}

function readOperations(): ReadonlyMap<string, OperationModel> {
  const document = readDescription(describeApi(resources, { serverUrl: 'http://127.0.0.1:3000' }));
  if (document === undefined) throw new Error('The description of the API cannot be read.');
  const all = modelOf(document, new Map(), readExamples()).flatMap((tag) => tag.operations);
  return new Map(all.map((operation) => [`${operation.method} ${operation.path}`, operation]));
}
