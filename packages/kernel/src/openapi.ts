import { acceptedBy, acceptedKinds, securityOf } from './accepted-credentials.ts';
import { errorCodes } from './error-codes.ts';
import { bodyExample, parameterExamples, type RecordedCall, responseExample } from './openapi-examples.ts';
import type { Operation, Resource } from './operation.ts';
import { isChange, isOwnOperation, placeOf } from './operation.ts';
import { scopes } from './scopes.ts';

export const apiVersion = '0.78.2';

type Json = Record<string, unknown>;

export interface DescribeOptions {
  /** The server's URL for clients. */
  serverUrl: string;
  /** The operations to describe: those of the published API, our own, or all of them, which is the default. */
  part?: ApiPart;
  /** Recorded calls by route, shown as examples. */
  examples?: Readonly<Record<string, RecordedCall>>;
}

export type ApiPart = 'published' | 'own' | 'all';

function environmentOf(serverUrl: string): string {
  const { hostname } = new URL(serverUrl);
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname) ? 'This local server' : 'This production server';
}

/**
 * Writes the OpenAPI 3.1 document of the given operations: exactly what is served. Errors are described once, as the
 * `default` response, because tools resolve every reference of every operation: with a reference for each status, the SDK
 * of existing clients spent four fifths of its start on them.
 */
export function describeApi(resources: readonly Resource[], options: DescribeOptions): Json {
  const described = pickPart(resources, options.part ?? 'all');
  const components = new Map<string, unknown>();
  const paths: Record<string, Json> = {};
  for (const resource of described) {
    for (const operation of resource.operations) {
      const entry = describeOperation(operation, resource.name, components, options.examples?.[operation.route]);
      paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: entry };
    }
  }
  const operations = described.flatMap((resource) => resource.operations);
  const hasMounted = operations.some(({ contract }) => contract.mounted === true);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey API',
      version: apiVersion,
      summary: 'Links wallets to chat communities and grants roles based on what those wallets own.',
      description: `There are four security schemes: an API key, an AE token, an Ethereum signature and an OAuth2 access token. Each operation lists the schemes it accepts in \`security\`, and the callers it accepts in \`x-credentials\`: ${describeKinds()} All errors have the same shape, and their \`code\` comes from a fixed list; each operation lists its statuses in \`x-error-statuses\`. Clients that prefer \`application/problem+json\` in \`Accept\` get problem details (RFC 9457).`,
      contact: { name: 'The operator of this server', url: options.serverUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl, description: environmentOf(options.serverUrl), 'x-internal': false }],
    tags: describeTags(described),
    paths,
    components: {
      schemas: {
        ...Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
        ErrorResponse: errorSchema,
        ...(hasMounted && { OAuthErrorResponse: oauthErrorSchema }),
      },
      securitySchemes: securitySchemes(options.serverUrl),
    },
  };
}

function describeKinds(): string {
  return Object.entries(acceptedKinds)
    .map(([kind, { meaning }]) => `\`${kind}\`: ${meaning}`)
    .join(' ');
}

function pickPart(resources: readonly Resource[], part: ApiPart): Resource[] {
  const isIn = (operation: Operation) => part === 'all' || isOwnOperation(operation) === (part === 'own');
  return resources
    .map((resource) => ({ ...resource, operations: resource.operations.filter(isIn) }))
    .filter(({ operations }) => operations.length > 0);
}

function describeTags(resources: readonly Resource[]): Json[] {
  const tags = new Map<string, string>();
  for (const { name, description, operations } of resources)
    for (const operation of operations) {
      const tag = tagOf(operation, name);
      if (!tags.has(tag)) tags.set(tag, description);
    }
  return [...tags].map(([name, description]) => ({ name, description }));
}

/**
 * Returns the one tag of an operation: the name that the SDK of existing clients groups it by, or else its resource. With a
 * second tag, generated clients would contain it twice.
 */
function tagOf(operation: Operation, resourceName: string): string {
  return splitSdk(operation)?.controller ?? resourceName;
}

/** Returns the name of an operation in the SDK of existing clients; undefined for our own operations. */
export function splitSdk(operation: Pick<Operation, 'contract'>): { controller: string; method: string } | undefined {
  if (operation.contract.sdk === undefined) return undefined;
  const [controller = '', method = ''] = operation.contract.sdk.split('.');
  return { controller, method };
}

function describeOperation(
  operation: Operation,
  resourceName: string,
  components: Map<string, unknown>,
  call: RecordedCall | undefined,
): Json {
  const { contract } = operation;
  const sdk = splitSdk(operation);
  const examples = call === undefined ? new Map<string, unknown>() : parameterExamples(operation, call);
  const parameters = Object.entries(operation.params).map(([name, schema]) => {
    const place = placeOf(operation, name, schema);
    const { description, ...rest } = publish(schema, components) as { description?: string };
    const isRequired = place === 'path' || !('~optional' in schema);
    const example = examples.get(name);
    return {
      name,
      in: place,
      required: isRequired,
      description,
      schema: rest,
      ...(example !== undefined && { example }),
    };
  });
  const { body } = operation;
  return {
    tags: [tagOf(operation, resourceName)],
    operationId: contract.id,
    'x-resource': resourceName,
    'x-operation-name': sdk?.method ?? contract.id,
    summary: contract.summary,
    description: describe(contract),
    ...(contract.deprecated && { deprecated: true }),
    parameters,
    ...(body && {
      requestBody: {
        required: body.isOptional !== true,
        content: {
          [bodyTypes[body.kind]]: {
            schema: publishBody(operation, body.schema, components),
            ...(call && bodyExample(operation, call)),
          },
        },
      },
    }),
    responses: describeResponses(operation, components, call),
    'x-error-statuses': errorStatusesOf(operation),
    security: securityOf(contract.access),
    'x-credentials': acceptedBy(contract.access),
    ...(contract.paginated && { 'x-pagination': contract.paginated }),
    ...(contract.repeatable && { 'x-idempotency-key': true }),
  };
}

function describe({ description, deprecated }: Operation['contract']): string {
  if (deprecated === undefined) return description;
  const end = deprecated.until === undefined ? '' : `, and until ${deprecated.until}`;
  return `${description} Deprecated since ${deprecated.since}${end}: use \`${deprecated.use}\`.`;
}

/** The media types of successful responses. */
export const answeredTypes: Readonly<Record<Operation['answer']['kind'], readonly string[]>> = {
  json: ['application/json'],
  text: ['text/plain', 'application/json'],
  png: ['image/png'],
  events: ['text/event-stream'],
  none: [],
  redirect: [],
};

const bodyTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  // Bodies with a signature of their exact bytes are JSON too, and clients must send them as such.
  raw: 'application/json',
} as const;

function describeResponses(
  operation: Operation,
  components: Map<string, unknown>,
  call: RecordedCall | undefined,
): Json {
  const { answer, contract } = operation;
  const content = contentOf(operation, components, call);
  const headers = {
    // Written out: a reference costs tools more than the header itself.
    ...commonHeaders,
    ...(answer.kind === 'redirect' && {
      Location: { description: 'Where to redirect.', schema: { type: 'string', format: 'uri', maxLength: 4096 } },
    }),
  };
  return {
    [answer.status]: { description: answer.description, headers, ...(content && { content }) },
    default: contract.mounted === true ? oauthError : anyError,
  };
}

function contentOf(
  operation: Operation,
  components: Map<string, unknown>,
  call: RecordedCall | undefined,
): Json | undefined {
  const { answer } = operation;
  const text = { type: 'string', maxLength: 100_000 };
  const example = call && responseExample(call);
  const schemaOf = () => (answer.schema === undefined ? {} : publish(answer.schema, components));
  switch (answer.kind) {
    case 'json':
      return { 'application/json': { schema: schemaOf(), ...example } };
    case 'png':
      return { 'image/png': { schema: { type: 'string', contentMediaType: 'image/png', maxLength: 1_000_000 } } };
    case 'text':
      return { 'application/json': { schema: text, ...example }, 'text/plain': { schema: text, ...example } };
    case 'events':
      return { 'text/event-stream': { schema: schemaOf() } };
    default:
      return undefined;
  }
}

/** Statuses that any request can get, in any step. */
const statusesOfAll = [400, 401, 403, 408, 413, 414, 429, 431, 500, 503];

/** Returns the statuses of 400 and above that an operation can return. */
export function errorStatusesOf(operation: Operation): number[] {
  const codes = operation.contract.errors ?? [];
  const statuses = new Set([...statusesOfAll, ...codes.map((code) => errorCodes[code].status)]);
  // An empty path parameter, or one with a slash, results in another path, which may not exist.
  if (operation.contract.access.object !== undefined || operation.path.includes('{')) statuses.add(404);
  if (isOwnOperation(operation) && answeredTypes[operation.answer.kind].length > 0) statuses.add(406);
  if (isChange(operation)) statuses.add(412);
  if (operation.body !== undefined) for (const status of [413, 415, 422]) statuses.add(status);
  if (operation.contract.repeatable === true) for (const status of [409, 422]) statuses.add(status);
  return [...statuses].sort((a, b) => a - b);
}

/** Own operations refuse unknown fields. Named schemas stay open, because responses share them. */
function publishBody(operation: Operation, schema: object, components: Map<string, unknown>): unknown {
  if (!isOwnOperation(operation) || 'x-name' in schema || !('properties' in schema) || 'additionalProperties' in schema)
    return publish(schema, components);
  return publish({ ...schema, additionalProperties: false }, components);
}

/** Copies a schema for the document: named objects become references, our own keywords are removed. */
function publish(schema: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => publish(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { 'x-name': name, 'x-in': _in, 'x-exact': _exact, 'x-extensible': _extensible, ...rest } = schema as Json;
  const copy = (): Json =>
    Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [
        key,
        publish(key === 'properties' ? withoutSnakeCaseTwins(value as Json) : value, components),
      ]),
    );
  if (typeof name !== 'string') return copy();
  const component = nameOfComponent(name);
  if (!components.has(component)) {
    components.set(component, undefined);
    components.set(component, copy());
  }
  return { $ref: `#/components/schemas/${component}` };
}

/** Clients generated for Go have a function `NewThing` for each schema `Thing`, so no schema may be called that. */
function nameOfComponent(name: string): string {
  return name.replace(/^New([A-Z].*)$/, '$1Creation');
}

/** Generated clients write the names of fields in one case, where `public_key` beside `publicKey` does not compile. */
function withoutSnakeCaseTwins(properties: Json): Json {
  const camelCased = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => camelCased(name) === name || !(camelCased(name) in properties)),
  );
}

const errorSchema = {
  type: 'object',
  description: 'The shape of every error.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'What went wrong.',
      required: ['statusCode', 'name', 'message'],
      properties: {
        statusCode: { type: 'number', description: 'The HTTP status.' },
        name: { type: 'string', description: 'The kind of error, one per status.', maxLength: 64 },
        message: { type: 'string', description: 'A human-readable message.', maxLength: 2048 },
        // No enum: generated clients would refuse the codes that later versions add.
        code: { type: 'string', description: describeCodes(), maxLength: 64 },
        details: { description: 'The location and cause of each problem, if available.' },
      },
    },
  },
};

function describeCodes(): string {
  const lines = Object.entries(errorCodes).map(
    ([code, { status, meaning }]) => `- \`${code}\` (${status}): ${meaning}`,
  );
  return `A machine-readable code:\n\n${lines.join('\n')}`;
}

const oauthErrorSchema = {
  type: 'object',
  description: 'An error in RFC 6749 format.',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'The protocol’s error code.', maxLength: 64 },
    error_description: { type: 'string', description: 'What went wrong, for developers.', maxLength: 2048 },
    scope: { type: 'string', description: 'The requested scopes.', maxLength: 4096 },
    state: { type: 'string', description: 'The state that was sent.', maxLength: 4096 },
    iss: { type: 'string', description: 'The issuer: this server.', maxLength: 2048 },
  },
};

/** Without headers: the description of a response is copied for every operation. */
const anyError = {
  description: 'An error. Its status is one of `x-error-statuses`.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
};

/** The OAuth2 provider's errors have the format of its protocol; requests that are refused before it have ours. */
const oauthError = {
  ...anyError,
  content: {
    'application/json': {
      schema: {
        anyOf: [{ $ref: '#/components/schemas/OAuthErrorResponse' }, { $ref: '#/components/schemas/ErrorResponse' }],
      },
    },
  },
};

const commonHeaders = {
  'Access-Control-Allow-Origin': { schema: { type: 'string', maxLength: 2048 } },
  'X-RateLimit-Limit': {
    description: 'How many requests the window allows. See also RateLimit and RateLimit-Policy.',
    schema: { type: 'number' },
  },
};

function securitySchemes(serverUrl: string): Json {
  const allScopes = Object.fromEntries(Object.entries(scopes).map(([id, info]) => [id, info.description]));
  const authorizationUrl = `${serverUrl}/oauth2/authorize`;
  const tokenUrl = `${serverUrl}/oauth2/token`;
  return {
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The API key of a client application.' },
    authenticatedEncryption: {
      type: 'apiKey',
      in: 'header',
      name: 'authorization',
      description: '`AE <token>`: a signed token inside authenticated encryption.',
    },
    ethereum: {
      type: 'apiKey',
      in: 'header',
      // The same header, whose case does not matter: clients generated for C# list the headers of keys, and twice the same
      // name does not compile.
      name: 'AUTHORIZATION',
      description:
        '`Ethereum <token>`: a wallet signature over this exact request, or over the published text. Both are off unless the operator allows them.',
    },
    collabLandOAuth2: {
      type: 'oauth2',
      description:
        '`Bearer <access token>`. Access tokens are opaque and short-lived; the JWTs this server signs follow RFC8725.',
      flows: {
        implicit: { authorizationUrl, refreshUrl: tokenUrl, scopes: allScopes },
        authorizationCode: { authorizationUrl, tokenUrl, refreshUrl: tokenUrl, scopes: allScopes },
        clientCredentials: { tokenUrl, refreshUrl: tokenUrl, scopes: allScopes },
        password: { tokenUrl, refreshUrl: tokenUrl, scopes: allScopes },
      },
    },
  };
}
