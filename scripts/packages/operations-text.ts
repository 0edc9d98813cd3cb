import { commentText, type JsonSchema, typeName, typeText } from './type-text.ts';

/** The OpenAPI description of the API, as far as the client's types come from it. */
export interface ApiDescription {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

interface DescribedOperation {
  summary: string;
  parameters: readonly { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
  'x-idempotency-key'?: boolean;
}

type Content = Record<string, { schema: JsonSchema }>;

const form = 'application/x-www-form-urlencoded';

/** `operations.ts` of the client, for those who do not have the server: types of every operation, and two lists. */
export function operationsText({ paths, components }: ApiDescription): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
  );
  const served = operations.filter(({ operation }) => resultText(operation) !== undefined);
  const routesWhere = (holds: (operation: DescribedOperation) => boolean) =>
    served.filter(({ operation }) => holds(operation)).map(({ route }) => route);
  return [
    '/* Generated from the operations of the API. */\n\n',
    ...(served.length === 0 ? [] : ['/** Every operation by its route: what a call takes and what it returns. */\n']),
    'export interface Operations {\n',
    ...served.map(
      ({ route, operation }) =>
        commentText(operation.summary, '  ') +
        `  ${JSON.stringify(route)}: { input: ${inputText(operation)}; result: ${resultText(operation)} };\n`,
    ),
    '}\n\n',
    listText(
      'repeatableRoutes',
      routesWhere((operation) => operation['x-idempotency-key'] === true),
    ),
    listText(
      'formRoutes',
      routesWhere((operation) => operation.requestBody?.content[form] !== undefined),
    ),
    ...Object.entries(components.schemas).map(
      ([name, schema]) =>
        `${commentText(schema.description, '')}export type ${typeName(name)} = ${typeText(schema)};\n`,
    ),
  ].join('');
}

function inputText({ parameters, requestBody }: DescribedOperation): string {
  const fields = parameters.filter((parameter) => parameter.in !== 'header').map(parameterText);
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(parameterText);
  if (headers.length > 0) fields.push(`headers: { ${headers.join(' ')} };`);
  const [content] = Object.values(requestBody?.content ?? {});
  if (requestBody !== undefined && content !== undefined)
    fields.push(`body${requestBody.required ? '' : '?'}: ${bodyText(content.schema)};`);
  return fields.length === 0 ? 'Record<never, never>' : `{ ${fields.join(' ')} }`;
}

/** What is signed byte by byte travels as bytes. */
function bodyText(schema: JsonSchema): string {
  return schema.type === 'string' ? 'Uint8Array' : typeText(schema, '  ');
}

function parameterText({ name, required, schema }: DescribedOperation['parameters'][number]): string {
  return `${JSON.stringify(name)}${required ? '' : '?'}: ${typeText(schema, '  ')};`;
}

/** What a call returns; undefined for streams of events, which the client leaves to `fetch`. */
function resultText({ responses }: DescribedOperation): string | undefined {
  if (responses[302] !== undefined) return '{ location: string }';
  if (responses[204] !== undefined) return 'undefined';
  const content = responses[200]?.content ?? {};
  if (content['text/event-stream'] !== undefined) return undefined;
  if (content['image/png'] !== undefined) return 'Uint8Array';
  const json = content['application/json'];
  return json === undefined ? 'unknown' : typeText(json.schema, '  ');
}

function listText(name: string, routes: readonly string[]): string {
  return `export const ${name}: readonly string[] = ${JSON.stringify(routes, undefined, 2)};\n\n`;
}
