import { record, T, type ValueOf } from '@latchkey/kernel';

const metric = (description: string) => T.Optional(T.Number({ description }));

/** The published statistics that are never set here, and why. A zero would be a claim. */
export const absentMetrics = {
  tokenPriceUsd: 'No market is asked for prices: a price without a named market and time would be a guess.',
  dailyVolume: 'No market is asked for trades.',
  cashtagTweetsInLastDay: 'Posts on X are not counted: Latchkey reads profiles there, and does not search.',
  cashtagTweetsDailyGrowth: 'Follows from the posts on X, which are not counted.',
  cashtagTweetsPlusMessagesPerDay: 'Follows from the posts on X, which are not counted.',
  myMessageCount: 'Messages are counted for the whole community: who writes how much is not recorded.',
  gripStrength: 'No definition of it was published.',
} as const;

const absent = (name: keyof typeof absentMetrics) => metric(`Not set. ${absentMetrics[name]}`);

/** Every published statistic, with what is said of it. */
export const metrics = {
  tokenPriceUsd: absent('tokenPriceUsd'),
  memberCount: metric('How many people are known to be members.'),
  cashtagTweetsInLastDay: absent('cashtagTweetsInLastDay'),
  cashtagTweetsDailyGrowth: absent('cashtagTweetsDailyGrowth'),
  messagesInLastDay: metric('How many messages were counted in the last 24 hours; absent where none was ever counted.'),
  messagesAllTime: metric('How many messages were counted altogether; absent where none was ever counted.'),
  messagesDailyGrowth: metric('By how much the last 24 hours exceed the 24 hours before them.'),
  myMessageCount: absent('myMessageCount'),
  gripStrength: absent('gripStrength'),
  cashtagTweetsPlusMessagesPerDay: absent('cashtagTweetsPlusMessagesPerDay'),
  dailyVolume: absent('dailyVolume'),
};

export const Stats = record('Stats', 'Figures about a community. What is not known here is absent.', metrics);
export type Stats = ValueOf<typeof Stats>;
