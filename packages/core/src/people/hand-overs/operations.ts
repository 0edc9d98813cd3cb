import { type Access, anyone, choice, op, shape, T, text, texts } from '@latchkey/kernel';
import { acceptHandOver, lookAtHandOver } from './accept.ts';
import { beginHandOver } from './begin.ts';
import {
  BegunHandOver,
  FinishedHandOver,
  HandOverCode,
  HandOverMessage,
  HandOverState,
  handOverSeconds,
  mostWrongCodes,
  purposes,
} from './hand-over.ts';
import { askInOtherBrowser, proveInOtherBrowser } from './prove.ts';

const minutes = handOverSeconds / 60;

/** Everyone may call; what is for a person asks for the credential of that person. */
const anyoneKnown: Access = { roles: ['$anonymous', '$authenticated'], scopes: [] };

const secret = (description: string) => text(description, { minLength: 1, maxLength: 64 });
const key = secret('The key, from the browser that began.');
const ticket = secret('The last part of the link.');
const accountId = text('The account that signs, in CAIP-10 form, for example evm:1:0x….', {
  minLength: 1,
  maxLength: 200,
});

export const handOverOperations = [
  op(
    'POST /latchkey/hand-overs',
    {
      id: 'beginHandOver',
      summary: 'Continue in another browser',
      description: `Creates a link that carries a step over to another browser, for example from a desktop to a phone or into the browser of a wallet app. It works once, for ${minutes} minutes. The link can only prove a wallet; the browser that began sees which one came and accepts it with a code that the other browser shows. To link a wallet, send the credential of the person; of their links the newest five count. To sign in, none is needed.`,
      facts: {
        needsNoKey: 'Each has a key of its own; unused ones expire.',
        senderDecides: 'purpose communityId',
        idsOfNobody: { communityId: 'One that the person is not in is left out, like one that is missing.' },
      },
      access: anyoneKnown,
      body: shape(
        T.Object({
          purpose: choice('What the wallet is proven for: link it to the caller, or sign somebody in.', purposes),
          communityId: T.Optional(
            text('The community to connect the wallet to, by its qualified id; without it, all of them.', {
              maxLength: 128,
            }),
          ),
        }),
      ),
      returns: BegunHandOver,
    },
    beginHandOver,
  ),
  op(
    'POST /latchkey/hand-overs/state',
    {
      id: 'getHandOverState',
      summary: 'Get another browser’s progress',
      description:
        'Returns how far the other browser has come, and which wallet was proven there. For the browser that began, by its key.',
      facts: { needsNoKey: 'It only reads.', senderDecides: 'key' },
      access: anyoneKnown,
      body: shape(T.Object({ key })),
      returns: HandOverState,
      errors: ['ENTITY_NOT_FOUND'],
    },
    lookAtHandOver,
  ),
  op(
    'POST /latchkey/hand-overs/message',
    {
      id: 'askInOtherBrowser',
      summary: 'Get the message to sign elsewhere',
      description:
        'Writes the whole message that the wallet in the other browser signs. Only the newest message of a link counts, once.',
      facts: { needsNoKey: 'Only the newest message counts.', senderDecides: 'ticket accountId resources' },
      access: anyone,
      body: shape(
        T.Object({
          ticket,
          accountId,
          resources: T.Optional(
            texts('For a wallet that signs in to several accounts: the resource of one of them.', { maxLength: 512 }),
          ),
        }),
      ),
      returns: HandOverMessage,
      errors: ['ENTITY_NOT_FOUND', 'VALIDATION_FAILED'],
    },
    askInOtherBrowser,
  ),
  op(
    'POST /latchkey/hand-overs/proof',
    {
      id: 'proveInOtherBrowser',
      summary: 'Prove a wallet in another browser',
      description:
        'Checks the signature and returns a code of six digits. Nothing is linked and nobody is signed in until the browser that began accepts the wallet with that code. A wallet that signs in to several accounts gets STATE_CONFLICT with the resource to ask for in a new message.',
      facts: {
        needsNoKey: 'A message works once by itself.',
        senderDecides: 'ticket accountId state signature publicKey',
      },
      access: anyone,
      body: shape(
        T.Object({
          ticket,
          accountId,
          state: secret('The state of the message.'),
          signature: text('What the wallet answered.', { minLength: 1, maxLength: 65_536 }),
          publicKey: T.Optional(text('The public key, where it does not follow from the address.', { maxLength: 256 })),
        }),
      ),
      returns: HandOverCode,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_CREDENTIAL', 'STATE_CONFLICT', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    proveInOtherBrowser,
  ),
  op(
    'POST /latchkey/hand-overs/accept',
    {
      id: 'acceptHandOver',
      summary: 'Accept a wallet from another browser',
      description: `Links the wallet that was proven in the other browser, or signs in with it, for the browser that began. Needs the code that the other browser shows; after ${mostWrongCodes} wrong codes the link is over. A wallet that another account of the community has comes back as WALLET_TAKEN with a resetToken.`,
      facts: { needsNoKey: 'It works once.', senderDecides: 'key code' },
      access: anyoneKnown,
      body: shape(
        T.Object({ key, code: text('The code that the other browser shows.', { minLength: 1, maxLength: 16 }) }),
      ),
      returns: FinishedHandOver,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    acceptHandOver,
  ),
] as const;
