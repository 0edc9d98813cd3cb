import { resources } from '@latchkey/core';
import { apiVersion, errorCodes, events, type Operation, type Resource, scopes } from '@latchkey/kernel';
import { code, type Facts, table } from './fact.ts';

const all: readonly Resource[] = resources;
const byName = new Map<string, Operation[]>();
for (const { name, operations } of all) byName.set(name, [...(byName.get(name) ?? []), ...operations]);
const names = [...byName.keys()].sort();
const count = all.reduce((sum, { operations }) => sum + operations.length, 0);

function operationRows(operations: readonly Operation[]): string[][] {
  return operations.map(({ route, contract }) => [code(route), contract.summary, scopesOf(contract.access.scopes)]);
}

function scopesOf(wanted: readonly string[]): string {
  return wanted.map(code).join(', ') || 'none';
}

export default {
  'api-version': () => apiVersion,
  'operation-count': () => String(count),
  'resource-count': () => String(names.length),
  scopes: () =>
    table(
      ['Scope', 'Allows'],
      Object.entries(scopes).map(([name, { description }]) => [code(name), description]),
    ),
  'error-codes': () =>
    table(
      ['Code', 'Status', 'When'],
      Object.entries(errorCodes).map(([name, { status, meaning }]) => [code(name), String(status), meaning]),
    ),
  events: () =>
    table(
      ['Event', 'Sent when'],
      Object.entries(events).map(([name, meaning]) => [code(name), meaning]),
    ),
  'operation-tags': () =>
    table(
      ['Resource', 'Operations'],
      names.map((name) => [`[${name}](/apis/${name})`, String(byName.get(name)?.length)]),
    ),
  ...Object.fromEntries(
    names.map((name) => [
      `operations/${name}`,
      () => table(['Operation', 'Does', 'Scopes'], operationRows(byName.get(name) ?? [])),
    ]),
  ),
} satisfies Facts;
