import {
  choice,
  OpenObject,
  platformNames,
  platformsThatCan,
  record,
  T,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import { actionsOn } from '../../identity/client-apps/index.ts';

export const miniAppStatuses = ['PENDING', 'APPROVED', 'REJECTED', 'REVOKED', 'LISTED'] as const;
export type MiniAppStatus = (typeof miniAppStatuses)[number];

/** An entry of the audit trail. */
export interface MiniAppAction {
  action: string;
  actionBy: string;
  timestamp: string;
  notes?: string;
}

const ownFields = {
  name: text('The name of the mini-app.', { minLength: 1, maxLength: 200 }),
  icon: T.Optional(
    text('The address of a picture: an absolute https address, or http on this machine.', { maxLength: 2048 }),
  ),
  description: text('What it does.', { minLength: 1, maxLength: 8000 }),
  feedback: T.Optional(text('Notes for the operator.', { maxLength: 4096 })),
  url: T.Optional(
    text(
      'Where the mini-app is called: GET …/metadata, POST …/interactions and POST …/events are below it. An absolute https address, or http on this machine.',
      { maxLength: 2048 },
    ),
  ),
  platforms: T.Optional(texts('The chat platforms it works on.', { maxLength: 64 })),
  metadata: T.Optional(OpenObject),
};

export const MiniAppRegistrationCreate = record('MiniAppRegistrationCreate', 'A mini-app to register.', {
  pk: T.Optional(
    text('The organization it belongs to. It must belong to the caller and be verified. Required.', { maxLength: 128 }),
  ),
  ...ownFields,
  platforms: T.Optional(
    T.Array(choice('A chat platform.', platformNames), {
      description: `The chat platforms it works on. Defaults to ${platformsThatCan('miniApps').join(', ')}.`,
      maxItems: 10,
    }),
  ),
});
export type MiniAppRegistrationCreate = ValueOf<typeof MiniAppRegistrationCreate>;

export const MiniAppRegistration = record('MiniAppRegistration', 'A mini-app as its developer registered it.', {
  id: T.Optional(text('The id of the mini-app, by which communities install it.', { maxLength: 100 })),
  createdTime: T.Optional(text('When it was registered, as an ISO 8601 time.', { maxLength: 32 })),
  pk: T.Optional(text('The organization it belongs to.', { maxLength: 128 })),
  sk: T.Optional(text('MINIAPP# and the id.', { maxLength: 128 })),
  classifier: T.Optional(text('Always MINIAPP.', { maxLength: 64 })),
  classifierGroup: T.Optional(text('Always MINIAPP.', { maxLength: 64 })),
  status: choice(
    'PENDING: waiting for review. REJECTED: turned down. APPROVED: can be listed. LISTED: can be installed. REVOKED: no longer available, with the reason in actions.',
    miniAppStatuses,
  ),
  actions: actionsOn('the mini-app'),
  ...ownFields,
  privateKey: T.Optional(text('Its private key in base 58. Shown only once, when it is created.', { maxLength: 128 })),
  publicKey: T.Optional(
    text('The Ed25519 public key, in base 58, of the key that signs its webhook events.', { maxLength: 128 }),
  ),
});
export type MiniAppRegistration = ValueOf<typeof MiniAppRegistration>;
