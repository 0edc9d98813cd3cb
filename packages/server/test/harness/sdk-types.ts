import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A type as the declarations of the SDK have it, as far as they use it. */
type Shape =
  | { kind: 'any' }
  | { kind: 'primitive'; name: string }
  | { kind: 'array'; of: Shape }
  | { kind: 'object'; fields: ReadonlyMap<string, { shape: Shape; isOptional: boolean }> }
  | { kind: 'model'; name: string }
  | { kind: 'either'; of: readonly Shape[] };

/** What the original SDK declares its methods to return. */
export interface SdkTypes {
  /** Returns what an answer has that the declared type does not allow, each as a path and what is wrong there. */
  check(controller: string, method: string, answer: unknown): string[];
}

// biome-ignore lint/suspicious/noExplicitAny: a tree of nodes, each read by its own type.
type Node = any;

let known: SdkTypes | undefined;

/** Reads the declarations of the SDK’s services and models. */
export function sdkTypes(): SdkTypes {
  known ??= read();
  return known;
}

function read(): SdkTypes {
  const entry = createRequire(import.meta.url).resolve('@collabland/sdk');
  const folder = dirname(entry);
  const models = new Map<string, Shape>();
  for (const node of declarationsIn(join(folder, 'models')))
    if (node.type === 'ClassDeclaration') models.set(node.id.name, fieldsOf(node.body.body));
    else if (node.type === 'TSTypeAliasDeclaration') models.set(node.id.name, shapeOf(node.typeAnnotation));
  const methods = new Map<string, Shape>();
  for (const node of declarationsIn(join(folder, 'services')))
    if (node.type === 'TSInterfaceDeclaration')
      for (const { key, returnType } of node.body.body)
        if (key && returnType)
          methods.set(`${node.id.name.replace(/Service$/, '')} ${key.name}`, promised(returnType.typeAnnotation));
  return {
    check: (controller, method, answer) => {
      const shape = methods.get(`${controller.replace(/Controller$/, '')} ${method}`);
      return shape === undefined ? [] : [...new Set(faults(shape, answer, models, 'answer', 0))];
    },
  };
}

function declarationsIn(folder: string): Node[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.d.ts'))
    .flatMap((name) => parseSync(name, readFileSync(join(folder, name), 'utf8')).program.body as Node[])
    .map((node) => node.declaration ?? node);
}

function fieldsOf(members: readonly Node[]): Shape {
  const fields = members
    .filter(({ type, key, typeAnnotation }) => /Property/.test(type) && key && typeAnnotation)
    .map(({ key, optional = false, typeAnnotation }): [string, { shape: Shape; isOptional: boolean }] => [
      key.name ?? key.value,
      { shape: shapeOf(typeAnnotation.typeAnnotation), isOptional: optional },
    ]);
  return { kind: 'object', fields: new Map(fields) };
}

function shapeOf(node: Node): Shape {
  switch (node.type) {
    case 'TSStringKeyword':
    case 'TSNumberKeyword':
    case 'TSBooleanKeyword':
      return { kind: 'primitive', name: node.type.slice(2, -7).toLowerCase() };
    case 'TSLiteralType':
      return { kind: 'primitive', name: typeof node.literal.value };
    case 'TSArrayType':
      return { kind: 'array', of: shapeOf(node.elementType) };
    case 'TSTypeLiteral':
      return fieldsOf(node.members);
    case 'TSUnionType':
      return { kind: 'either', of: node.types.map(shapeOf) };
    case 'TSTypeReference':
      return node.typeName.name === 'Promise' ? promised(node) : { kind: 'model', name: node.typeName.name };
    default:
      return { kind: 'any' };
  }
}

function promised(node: Node): Shape {
  const inner = node.typeName?.name === 'Promise' ? (node.typeArguments ?? node.typeParameters)?.params[0] : node;
  return inner === undefined ? { kind: 'any' } : shapeOf(inner);
}

const deepest = 12;

function faults(shape: Shape, value: unknown, models: ReadonlyMap<string, Shape>, at: string, depth: number): string[] {
  if (depth > deepest) return [];
  const inside = (inner: Shape, one: unknown, place: string) => faults(inner, one, models, place, depth + 1);
  switch (shape.kind) {
    case 'any':
      return [];
    case 'primitive':
      return typeof value === shape.name ? [] : [`${at} is not a ${shape.name}`];
    case 'array':
      if (!Array.isArray(value)) return [`${at} is not a list`];
      return value.flatMap((one) => inside(shape.of, one, `${at}[]`));
    case 'either': {
      const tries = shape.of.map((one) => inside(one, value, at));
      return tries.some((found) => found.length === 0) ? [] : (tries[0] ?? []);
    }
    case 'model': {
      const model = models.get(shape.name);
      return model === undefined ? [] : inside(model, value, at);
    }
    case 'object': {
      if (shape.fields.size === 0) return [];
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is not an object`];
      const own = value as Record<string, unknown>;
      return [...shape.fields].flatMap(([name, { shape: inner, isOptional }]) => {
        if (own[name] === undefined) return isOptional ? [] : [`${at}.${name} is missing`];
        return inside(inner, own[name], `${at}.${name}`);
      });
    }
  }
}
