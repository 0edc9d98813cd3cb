import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { telegramRoute } from '@latchkey/core';
import { buttonInputs, commandInputs, formInputs, InteractionBody } from '@latchkey/core/testing/insides';
import { type Operation, placeOf } from '@latchkey/kernel';
import { UpdateBody, webhookSecret } from '@latchkey/platforms/telegram';
import { answerShapeProblems, codeOf, errorShapeProblems } from './error-shape.ts';
import { asJsonSchema, type JsonSchema } from './json-schema.ts';
import { largestValue } from './largest-value.ts';
import { people } from './outside-world.ts';
import { type Draft, largestRequest, sampleRequest } from './sample-request.ts';
import { isOpen, needsNoCredential, served } from './served.ts';
import { rightCredential, type World } from './set-up-world.ts';
import type { TestAnswer } from './test-server.ts';
import { newAddress, visit } from './visit-server.ts';

export type Input = Record<string, unknown>;

/** An entry point for external input. The command line has its own test, since it needs no server. */
export interface Entrance {
  kind:
    | 'operation'
    | 'MCP tool'
    | 'Discord interaction'
    | 'Discord command'
    | 'Discord button'
    | 'Discord form'
    | 'Telegram update';
  name: string;
  /** Whether a caller without a credential reaches it. */
  isAnonymous: boolean;
  schema: JsonSchema;
  /** `refuse` if we define the format. Published operations ignore unknown fields, platforms add them. */
  unknownFields: 'refuse' | 'accept';
  /** Returns a valid input. */
  base(): Input;
  /** Returns the largest valid input. */
  largest(): Input;
  send(input: Input): Promise<TestAnswer>;
  /** Returns why a response is not a proper refusal of the input; empty if it is one. */
  refusalProblems(answer: TestAnswer): string[];
}

/** The settings that open every entrance: keys that the tests sign with, and bots. */
export function openEntrances() {
  const discord = generateKeyPairSync('ed25519');
  const publicKey = discord.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
  return { environment: { LATCHKEY_DISCORD_PUBLIC_KEY: publicKey }, discordKey: discord.privateKey };
}

/** Returns every entrance of a running server. */
export async function entrancesOf(
  world: World,
  { discordKey, telegramToken }: { discordKey: KeyObject; telegramToken: string },
): Promise<Entrance[]> {
  return [
    ...(await Promise.all(served.map((operation) => operationEntrance(world, operation)))),
    ...(await toolEntrances(world)),
    ...discordEntrances(world, discordKey),
    telegramEntrance(world, telegramToken),
  ];
}

async function operationEntrance(world: World, operation: Operation): Promise<Entrance> {
  const { params, body, route } = operation;
  const properties = Object.fromEntries(Object.entries(params).map(([name, one]) => [name, asJsonSchema(one)]));
  const credential = await rightCredential(world, operation);
  return {
    kind: 'operation',
    name: route,
    isAnonymous: isOpen(operation) || needsNoCredential(operation),
    schema: {
      type: 'object',
      properties: { ...properties, ...(body !== undefined && { body: asJsonSchema(body.schema) }) },
    },
    unknownFields: 'accept',
    base: () => inputOf(sampleRequest(operation, world.samples)),
    largest: () => inputOf(largestRequest(operation, world.samples)),
    send: (input) => visit(world.server, draftOf(operation, input), credential),
    refusalProblems: (answer) => refusalProblems(answer, answerShapeProblems(operation, answer)),
  };
}

function inputOf({ path, query, headers, body }: Draft): Input {
  return { ...path, ...Object.fromEntries(query), ...Object.fromEntries(headers), ...(body !== undefined && { body }) };
}

function draftOf(operation: Operation, { body, ...values }: Input): Draft {
  const draft: Draft = { operation, method: operation.method, path: {}, query: [], headers: [], body };
  for (const [name, value] of Object.entries(values)) {
    const schema = operation.params[name];
    const place = schema === undefined ? 'query' : placeOf(operation, name, schema);
    if (place === 'path') draft.path[name] = String(value);
    else for (const item of [value].flat()) draft[place === 'query' ? 'query' : 'headers'].push([name, String(item)]);
  }
  return draft;
}

/** The code for invalid input. Any other refusal would mean that the limit was not checked. */
const limitCodes = [
  'BODY_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'INVALID_BODY',
  'INVALID_PARAMETER_VALUE',
  'URI_TOO_LONG',
  'VALIDATION_FAILED',
];

function refusalProblems({ status, text }: Pick<TestAnswer, 'status' | 'text'>, shape: readonly string[]): string[] {
  if (status < 400 || status >= 500) return [`status ${status}`];
  const code = codeOf(text);
  return limitCodes.includes(code ?? '') ? [...shape] : [`refused with ${code}`];
}

/** Tools that need no credential. */
const openTools = ['explain_rule', 'find_operations', 'describe_operation', 'search_docs', 'read_docs'];

/** The tools as the server lists them, so that none can be left out. */
async function toolEntrances(world: World): Promise<Entrance[]> {
  const path = '/mcp/act';
  const call = (method: string, params: object) =>
    world.server.request('POST', path, {
      json: { jsonrpc: '2.0', id: 1, method, params },
      headers: {
        accept: 'application/json, text/event-stream',
        authorization: world.alice,
        'x-forwarded-for': newAddress(),
      },
    });
  const { text } = await call('tools/list', {});
  const { tools } = resultOf(text) as { tools: { name: string; inputSchema: JsonSchema }[] };
  return tools.map(({ name, inputSchema }) => ({
    kind: 'MCP tool',
    name,
    isAnonymous: openTools.includes(name),
    schema: inputSchema,
    unknownFields: 'refuse',
    base: () => requiredOf(inputSchema),
    largest: () => largestValue(inputSchema, { bytes: 480_000 }) as Input,
    send: (input) => call('tools/call', { name, arguments: input }),
    refusalProblems: (answer) => {
      if (answer.status >= 400)
        return refusalProblems(answer, errorShapeProblems(answer.status, 'application/json', answer.text));
      const { isError, content } = resultOf(answer.text) as { isError?: boolean; content: { text: string }[] };
      if (isError !== true) return ['it was accepted'];
      const [first] = content;
      const { text = '{}' } = first ?? {};
      const { statusCode: status } = JSON.parse(text).error ?? {};
      return refusalProblems({ status, text }, errorShapeProblems(status, 'application/json', text));
    },
  }));
}

/** An older client gets its response as a stream of one event. */
function resultOf(text: string): unknown {
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return JSON.parse(json).result;
}

function requiredOf(schema: JsonSchema): Input {
  const names = schema.required ?? [];
  return Object.fromEntries(names.map((name) => [name, largestValue(schema.properties?.[name] ?? {}, { bytes: 10 })]));
}

let interactions = 1_000_000_000_000;

function discordEntrances(world: World, key: KeyObject): Entrance[] {
  const { guildId } = world.community;
  const envelope = (): Input => ({
    type: 2,
    id: String(interactions++),
    application_id: '1',
    token: 'a-token',
    guild_id: guildId,
    // An admin, so that commands get as far as possible.
    member: { user: { id: people.alice.userId, username: 'alice' } },
    data: { name: 'latchkey', options: [{ type: 1, name: 'join' }] },
  });
  const send = (body: Input) => {
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(world.server.services.clock().getTime() / 1000));
    return world.server.request('POST', '/discord/interactions', {
      body: text,
      headers: {
        'content-type': 'application/json',
        'x-signature-timestamp': timestamp,
        'x-signature-ed25519': sign(null, Buffer.from(timestamp + text), key).toString('hex'),
        'x-forwarded-for': newAddress(),
      },
    });
  };
  const refused = (answer: TestAnswer) =>
    answer.status === 200 && /"content":"The command /.test(answer.text)
      ? []
      : refusalProblems(answer, errorShapeProblems(answer.status, 'application/json', answer.text));
  const types = { 'Discord command': 2, 'Discord button': 3, 'Discord form': 5 } as const;
  const own = (
    kind: keyof typeof types,
    known: typeof commandInputs,
    data: (word: string, input: Input) => Input,
  ): Entrance[] =>
    Object.entries(known).map(([word, { input }]) => ({
      kind,
      name: word,
      // Signed by Discord, but any user there can type it.
      isAnonymous: true,
      // A command without its options opens a form, where it has one.
      schema:
        kind === 'Discord command' && Object.hasOwn(formInputs, word)
          ? { ...asJsonSchema(input), required: [] }
          : asJsonSchema(input),
      unknownFields: 'refuse',
      base: () => requiredOf(asJsonSchema(input)),
      largest: () => largestValue(asJsonSchema(input), { bytes: 10_000 }) as Input,
      send: (values) => send({ ...envelope(), type: types[kind], data: data(word, values) }),
      refusalProblems: refused,
    }));
  return [
    {
      kind: 'Discord interaction',
      name: 'any',
      isAnonymous: true,
      schema: asJsonSchema(InteractionBody),
      unknownFields: 'accept',
      base: envelope,
      largest: () => ({ ...envelope(), locale: 'x'.repeat(200_000) }),
      send,
      refusalProblems: refused,
    },
    ...own('Discord command', commandInputs, (word, input) => ({
      name: 'latchkey',
      options: [
        { type: 1, name: word, options: Object.entries(input).map(([name, value]) => ({ type: 3, name, value })) },
      ],
    })),
    ...own('Discord button', buttonInputs, (word, input) => ({
      custom_id: ['latchkey', word, ...Object.values(input)].join(':'),
    })),
    ...own('Discord form', formInputs, (word, input) => ({
      custom_id: `latchkey:${word}`,
      components: Object.entries(input).map(([name, value]) => ({
        type: 18,
        component: { type: 4, custom_id: name, value },
      })),
    })),
  ];
}

let updates = 1_000;

function telegramEntrance(world: World, token: string): Entrance {
  const person = { id: 7001, is_bot: false, first_name: 'Ada', username: 'ada' };
  const chat = { id: -5, type: 'group', title: 'Cats' };
  const member = { status: 'member', user: person };
  const base = (): Input => ({
    update_id: updates++,
    message: { chat, from: person, text: '/why ada', reply_to_message: { from: person } },
    chat_member: { chat, new_chat_member: member, old_chat_member: member },
    my_chat_member: { chat, from: person, new_chat_member: member },
    chat_join_request: { chat, from: person, user_chat_id: 5 },
    callback_query: { id: '1', from: person, message: { chat }, data: 'changes' },
  });
  const givenUp = (updateId: unknown) =>
    world.server.logLines.some((line) => line.includes(`"updateId":${updateId}`) && line.includes('dropping it'));
  let last: unknown;
  return {
    kind: 'Telegram update',
    name: 'any',
    isAnonymous: true,
    schema: asJsonSchema(UpdateBody),
    unknownFields: 'accept',
    base,
    largest: () => {
      const text = `/why${' '.repeat(16_000)}${'x'.repeat(380)}`;
      return { update_id: updates++, message: { chat, from: person, text }, other: 'x'.repeat(900_000) };
    },
    send: (input) => {
      last = input.update_id;
      return world.server.request('POST', telegramRoute.path, {
        json: input,
        headers: { [telegramRoute.secretHeader]: webhookSecret(token), 'x-forwarded-for': newAddress() },
      });
    },
    // Telegram would resend what is refused again and again, and delay its chat: it is accepted, logged and dropped.
    refusalProblems: (answer) => {
      if (answer.status === 200) return givenUp(last) ? [] : ['it was accepted'];
      return refusalProblems(answer, errorShapeProblems(answer.status, 'application/json', answer.text));
    },
  };
}
