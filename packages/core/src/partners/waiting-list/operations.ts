import { type Access, anyone, OpenObject, op, resource, shape, T, user } from '@latchkey/kernel';
import { PaymasterRequest } from './paymaster.ts';
import { getQuote } from './quote.ts';
import { getWaitingListMetadata } from './reads.ts';
import { isRegistered, registerKol } from './register.ts';
import { verifyPolicies } from './verify-policies.ts';
import { GetQuoteResponse } from './waiting-list.ts';

/** Whoever knows the secret that this server shares with the paymaster. */
const knowsSecret: Access = { roles: [], scopes: [] };
const yesOrNo = (description: string) => shape(T.Boolean({ description }));

export const waitingList = resource('waiting-list', 'Places on a waiting list that a contract keeps.', [
  op(
    'POST /telefrens/biconomy/paymaster-webhook',
    {
      id: 'verifyPolicies',
      sdk: 'TelefrensPaymasterWebhookController.verifyPolicies',
      summary: 'Check whether gas is sponsored',
      description:
        'Where Biconomy’s paymaster asks before it pays. Every transaction must call a contract and a method that the operator’s policy names, send at most what it allows, and the owner must be within the limit of the day. The answer says why.',
      facts: { needsNoKey: 'The paymaster asks again for what it pays again.', senderDecides: 'data' },
      access: knowsSecret,
      body: PaymasterRequest,
      returns: OpenObject,
      errors: ['AUTHENTICATION_REQUIRED', 'INVALID_CREDENTIAL', 'UNAVAILABLE'],
    },
    verifyPolicies,
  ),
  op(
    'GET /telefrens/waiting-list/metadata',
    {
      id: 'getWaitingListMetadata',
      sdk: 'TelefrensWaitListController.getMetadata',
      summary: 'Get the waiting list’s contracts',
      description:
        'Returns the contracts that keep the list, the price of a place, the address whose quotes they trust, and what exactly is signed.',
      access: anyone,
      returns: OpenObject,
    },
    getWaitingListMetadata,
  ),
  op(
    'POST /telefrens/waiting-list/quotes',
    {
      id: 'getQuote',
      sdk: 'TelefrensWaitListController.getQuote',
      summary: 'Request a quote for a place',
      description:
        'Returns a signed offer that the caller’s wallet hands to the contract together with the price. It is good for this caller, this contract and this chain, until it expires, and the contract takes it once.',
      facts: { needsNoKey: 'The contract takes one of all quotes.', idsOfNobody: { chainId: 'A chain.' } },
      access: user('telefrens:waiting-list'),
      params: {
        chainId: T.Optional(
          T.Number({ description: 'The chain to register on; the first one without it.', minimum: 1, multipleOf: 1 }),
        ),
      },
      returns: GetQuoteResponse,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    getQuote,
  ),
  op(
    'POST /telefrens/waiting-list/register-kol',
    {
      id: 'registerKol',
      sdk: 'TelefrensWaitListController.verifyVipKol',
      summary: 'Accept an invitation',
      description:
        'Puts the caller onto the list without a quote, if the operator has invited them. Answers whether they are invited.',
      facts: { needsNoKey: 'Who is on the list stays on it.' },
      access: user('telefrens:waiting-list'),
      returns: yesOrNo('Whether the caller was invited, and is on the list now.'),
    },
    registerKol,
  ),
  op(
    'GET /telefrens/waiting-list/registered',
    {
      id: 'isRegistered',
      sdk: 'TelefrensWaitListController.isRegistered',
      summary: 'Check your place on the list',
      description: 'Returns whether the caller is on the list, by invitation or by what the contracts say.',
      access: user('telefrens:waiting-list'),
      returns: yesOrNo('Whether the caller is on the list.'),
      errors: ['UNAVAILABLE'],
    },
    isRegistered,
  ),
]);
