import { readFile, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileSchema } from '@latchkey/core/rule-files';
import { isObject } from '@latchkey/kernel';
import { isMap, isScalar, isSeq, type Node, type ParsedNode, parseDocument } from 'yaml';
import { loadAll } from '../file/load.ts';
import { yamlStyle } from '../file/style.ts';
import { UsageError } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { givenVariables, type Options } from './open.ts';

/** Writes files in one style: fields in the order of the documentation, comments kept. With `check`, only says which differ. */
export async function runFmt(terminal: Terminal, options: Options): Promise<number> {
  const { files } = await loadAll(terminal.folder, options.file, givenVariables(terminal, options));
  let differing = 0;
  for (const path of files) {
    const text = await readFile(path, 'utf8');
    const formatted = format(text);
    if (formatted === text) continue;
    differing += 1;
    terminal.print(relative(terminal.folder, path));
    if (!options.check) await writeFile(path, formatted);
  }
  return options.check && differing > 0 ? 1 : 0;
}

export function format(text: string): string {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first !== undefined) throw new UsageError(first.message);
  sortFields(document.contents, fileSchema);
  return document.toString(yamlStyle);
}

/** Puts the fields of every map into the order in which the format lists them. Names that the file chooses stay in order. */
function sortFields(node: Node | ParsedNode | null | unknown, schema: unknown): void {
  const known = resolveSchema(schema);
  if (isSeq(node)) for (const item of node.items) sortFields(item, known.items);
  if (!isMap(node)) return;
  const properties = isObject(known.properties) ? known.properties : {};
  const order = Object.keys(properties);
  const nameOf = (key: unknown) => (isScalar(key) ? String(key.value) : '');
  const placeOf = (key: unknown) => {
    const at = order.indexOf(nameOf(key));
    return at === -1 ? order.length : at;
  };
  if (order.length > 0) node.items = node.items.toSorted((a, b) => placeOf(a.key) - placeOf(b.key));
  for (const { key, value } of node.items) sortFields(value, properties[nameOf(key)] ?? known.additionalProperties);
}

function resolveSchema(schema: unknown): Record<string, unknown> {
  if (!isObject(schema)) return {};
  if (typeof schema.$ref !== 'string') return schema;
  const definitions = isObject(fileSchema.$defs) ? fileSchema.$defs : {};
  const found = definitions[schema.$ref.replace('#/$defs/', '')];
  return isObject(found) ? found : {};
}
