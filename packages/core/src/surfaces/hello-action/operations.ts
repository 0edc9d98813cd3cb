import {
  type Access,
  AppError,
  anyone,
  inHeader,
  NoContent,
  OpenObject,
  op,
  rawBody,
  resource,
  T,
} from '@latchkey/kernel';
import { isSignedByUs, signatureWindowMs } from '../../developers/mini-apps/index.ts';
import type { Context } from '../../shared/context.ts';
import { buttonId, commandName, DiscordActionMetadata, metadata } from './metadata.ts';

interface SignedCall {
  'X-Signature-Timestamp': number;
  'X-Signature-Ecdsa'?: string;
  'X-Signature-Ed25519'?: string;
  body: Uint8Array;
}

/** Accepts only what this server has just signed, as every mini-app must. */
async function openCall(ctx: Context, call: SignedCall): Promise<Record<string, unknown>> {
  const [ecdsa, ed25519] = [call['X-Signature-Ecdsa'], call['X-Signature-Ed25519']];
  if (ecdsa === undefined && ed25519 === undefined)
    throw new AppError('MISSING_REQUIRED_PARAMETER', 'Send X-Signature-Ed25519 or X-Signature-Ecdsa.');
  const signature = { timestamp: call['X-Signature-Timestamp'], ecdsa, ed25519 };
  if (!(await isSignedByUs(ctx, signature, call.body)))
    throw new AppError('INVALID_CREDENTIAL', 'The signature does not match this body, server and time.');
  try {
    const value: unknown = JSON.parse(Buffer.from(call.body).toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Handled below, like any other body that is not an object.
  }
  throw new AppError('VALIDATION_FAILED', 'The body must be a JSON object.');
}

const onlyForThem = 64;

/** Greets the user who used the command or pressed the button. */
async function handleInteraction(ctx: Context, call: SignedCall): Promise<Record<string, unknown>> {
  const { type, data, actionContext } = await openCall(ctx, call);
  const { name, custom_id, options } = Object(data);
  const { guildName, isAdmin } = Object(actionContext);
  if (type === 1) return { type: 1 };
  if (type === 3 && custom_id === buttonId) return say('Hello again!');
  if (type !== 2 || name !== commandName) return say('I only know how to say hello.');
  const called = (Array.isArray(options) ? options : []).map(Object).find((option) => option.name === 'your-name');
  const who = typeof called?.value === 'string' ? called.value.slice(0, 100) : 'there';
  const where = typeof guildName === 'string' ? ` Welcome to ${guildName}.` : '';
  return say(`Hello, ${who}!${where}${isAdmin === true ? ' You are an admin here.' : ''}`, [
    { type: 1, components: [{ type: 2, style: 1, label: 'Once more', custom_id: buttonId }] },
  ]);
}

/** Accepts install and uninstall events; there is nothing to store. */
async function handleEvent(ctx: Context, call: SignedCall): Promise<void> {
  const { event, guildId } = await openCall(ctx, call);
  if ((event !== 'install' && event !== 'uninstall') || typeof guildId !== 'string')
    throw new AppError('VALIDATION_FAILED', 'The body needs event, which is install or uninstall, and guildId.');
}

function say(content: string, components: readonly unknown[] = []): Record<string, unknown> {
  return { type: 4, data: { content, flags: onlyForThem, components } };
}

/** Senders of requests that this server signed. */
const bySignature: Access = { roles: [], scopes: [] };

const signed = {
  'X-Signature-Timestamp': inHeader(
    T.Number({
      description: `When it was signed, in milliseconds since 1970. At most ${signatureWindowMs / 60_000} minutes off.`,
    }),
  ),
  'X-Signature-Ecdsa': T.Optional(
    inHeader(T.String({ description: 'The signature of personal_sign over the time and the body.', maxLength: 256 })),
  ),
  'X-Signature-Ed25519': T.Optional(
    inHeader(T.String({ description: 'The Ed25519 signature over the time and the body, in hex.', maxLength: 256 })),
  ),
};

export const helloAction = resource('hello-action', 'A sample mini-app that this server hosts.', [
  op(
    'POST /hello-action/events',
    {
      id: 'handleEvent',
      sdk: 'HelloActionController.handleEvent',
      summary: 'Notify the sample app of install events',
      description:
        'Receives what the server sends to a mini-app when a community installs or removes it. Accepts only signed requests.',
      access: bySignature,
      params: signed,
      body: rawBody,
      returns: NoContent,
    },
    handleEvent,
  ),
  op(
    'POST /hello-action/interactions',
    {
      id: 'handleInteraction',
      sdk: 'HelloActionController.handleInteraction',
      summary: 'Send the sample app an interaction',
      description:
        'Receives what the server sends to a mini-app when someone uses one of its commands or buttons. Accepts only signed requests.',
      access: bySignature,
      params: signed,
      body: rawBody,
      returns: OpenObject,
    },
    handleInteraction,
  ),
  op(
    'GET /hello-action/metadata',
    {
      id: 'loadMetadata',
      sdk: 'HelloActionController.loadMetadata',
      summary: 'Get the sample app’s metadata',
      description: 'Returns the sample’s manifest, commands and interactions, in the format that every mini-app uses.',
      access: anyone,
      returns: DiscordActionMetadata,
    },
    () => metadata,
  ),
]);
