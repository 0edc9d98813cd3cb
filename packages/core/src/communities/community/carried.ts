import { record, T, text, texts } from '@latchkey/kernel';

const count = (description: string) => T.Optional(T.Number({ description }));

/** A channel as existing clients keep it with a community. */
export const Channel = record('Channel', 'A channel that a community shows, as its applications described it.', {
  name: T.Optional(text('What people call the channel.')),
  link: T.Optional(text('Where the channel is reached.')),
  tokenAmountToEnter: count('How many tokens are asked for at its door.'),
  members: count('How many members it had when it was described.'),
  membersInLastDay: count('How many members were new on that day.'),
  membersDailyGrowth: count('By how much that was more than the day before.'),
  messagesInLastDay: count('How many messages were written on that day.'),
  messagesAllTime: count('How many messages were written altogether.'),
  messagesDailyGrowth: count('By how much that was more than the day before.'),
});

const row = {
  id: T.Optional(text('The id.')),
  createdTime: T.Optional(text('When it was made, in ISO 8601 form.')),
  pk: T.Optional(text('The id of the community.')),
  sk: T.Optional(text('Names it within the community.')),
  classifier: T.Optional(text('What kind of row it is.')),
  classifierGroup: T.Optional(text('What family of rows it belongs to.')),
};

const offer = {
  remaining: count('How many rewards are left.'),
  deadline: count('Until when it runs, in milliseconds since 1970.'),
  communityId: T.Optional(text('The id of the community.')),
  tokenAddress: T.Optional(text('The contract of the token that is given.')),
  cashtag: T.Optional(text('The cashtag of that token.')),
  tokenSymbol: T.Optional(text('The symbol of that token.')),
  createdByName: T.Optional(text('Who made it, by name.')),
  createdById: T.Optional(text('Who made it, by id.')),
  claimedBy: T.Optional(texts('Who took a reward.')),
  claimedByTime: T.Optional(texts('When they did, in the same order.')),
  link: T.Optional(text('Where it is shown.')),
};

export const Quest = record('Quest', 'A task that a community rewards, as its applications described it.', {
  ...row,
  ...offer,
  name: T.Optional(text('What people call the quest.')),
  description: T.Optional(text('What is to be done.', { maxLength: 4000 })),
  reward: T.Optional(text('How much is given, as a whole number in text.')),
  total: count('How many rewards there are.'),
  stripePaymentIntent: T.Optional(text('The public id of the payment behind it.')),
  published: T.Optional(T.Boolean({ description: 'Whether members see it.' })),
});

export const Drop = record('Drop', 'A gift of tokens to members, as the applications of a community described it.', {
  ...row,
  ...offer,
  title: text('What people call the drop.'),
  reward: text('How much is given, as a whole number in text.'),
  total: T.Number({ description: 'How many rewards there are.' }),
  chainId: T.Optional(text('The chain of the token.')),
});
