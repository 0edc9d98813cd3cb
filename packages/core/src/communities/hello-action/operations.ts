import { type Access, anyone, inHeader, NoContent, OpenObject, op, rawBody, resource, T } from '@latchkey/kernel';
import { signatureWindowMs } from '../miniapps/index.ts';
import { handleEvent, handleInteraction } from './answer.ts';
import { DiscordActionMetadata, metadata } from './metadata.ts';

/** Whoever sends what this server signed. */
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

export const helloAction = resource('hello-action', 'A sample mini-app, served by this server itself.', [
  op(
    'POST /hello-action/events',
    {
      id: 'handleEvent',
      sdk: 'HelloActionController.handleEvent',
      summary: 'Notify the sample app of install events',
      description:
        'What the server sends to a mini-app when a community installs or removes it. Only signed calls are taken.',
      facts: { needsNoKey: 'Changes nothing.', freeBody: 'What this server itself has signed.' },
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
        'What the server sends to a mini-app when somebody uses one of its commands or buttons. Only signed calls are taken.',
      facts: { needsNoKey: 'Changes nothing.', freeBody: 'What this server itself has signed.' },
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
      description:
        'The manifest, the commands and the interactions of the sample, in the form that every mini-app answers with.',
      access: anyone,
      returns: DiscordActionMetadata,
    },
    () => metadata,
  ),
]);
