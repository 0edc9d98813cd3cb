import { OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

const redirectUri = T.Optional(
  text(
    'Where the buyer goes on afterwards, with `slug` and `status` added: an address that the client application registered, or one on this server. This server unless told.',
    { maxLength: 2048 },
  ),
);

export const SubscriptionRequest = record('SubscriptionRequest', 'A plan to be bought.', {
  state: OpenObject,
  organizationId: text('The organization, or for a plan of communities the community, that the plan is for.', {
    minLength: 1,
    maxLength: 128,
  }),
  redirectUri,
});
export type SubscriptionRequest = ValueOf<typeof SubscriptionRequest>;

/** The least that card networks take, and a sum above which a donation is surely a mistake. */
const price = { minimum: 50, maximum: 99_999_999, multipleOf: 1 };

export const DonationRequest = record('DonationRequest', 'A donation to be made.', {
  price: T.Number({ description: 'How much, in US cents: 500 is five dollars.', ...price }),
  recurring: T.Optional(T.Boolean({ description: 'Every month instead of once.' })),
  confirmationMessage: T.Optional(text('What the giver reads before paying.', { minLength: 1, maxLength: 1200 })),
  redirectUri,
});
export type DonationRequest = ValueOf<typeof DonationRequest>;

export const CheckoutUrl = record('CheckoutUrl', 'Where to go on.', {
  url: T.Optional(text('The address to open.', { maxLength: 8192 })),
});
