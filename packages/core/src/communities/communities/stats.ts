import { record, T, type ValueOf } from '@latchkey/kernel';

const figure = (description: string) => T.Optional(T.Number({ description }));

export const Stats = record('Stats', 'Figures about a community. What is not known here is absent.', {
  tokenPriceUsd: figure('Not set: prices are not read.'),
  memberCount: figure('How many people are known to be members.'),
  cashtagTweetsInLastDay: figure('Not set: posts are not read.'),
  cashtagTweetsDailyGrowth: figure('Not set: posts are not read.'),
  messagesInLastDay: figure('How many messages were counted in the last 24 hours; absent where none was ever counted.'),
  messagesAllTime: figure('How many messages were counted altogether; absent where none was ever counted.'),
  messagesDailyGrowth: figure('By how much the last 24 hours exceed the 24 hours before them.'),
  myMessageCount: figure('Not set: nobody’s messages are counted in particular.'),
  gripStrength: figure('Not set: not computed here.'),
  cashtagTweetsPlusMessagesPerDay: figure('Not set: posts are not read.'),
  dailyVolume: figure('Not set: trades are not read.'),
});
export type Stats = ValueOf<typeof Stats>;
