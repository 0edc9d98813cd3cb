import type { ListPart, Order } from './word.ts';

export interface Subreddit {
  /** For example t5_2qh1i. */
  id: string;
  name: string;
}

export interface Flair {
  id: string;
  text: string;
}

/** Why Reddit did not do it: never (`refused`), there is no such user (`gone`), or perhaps later (`failed`). */
export class RedditFault extends Error {
  readonly kind: 'refused' | 'gone' | 'failed';

  constructor(kind: RedditFault['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** What the app needs of Reddit, in the subreddit that it runs in. */
export interface RedditAccess {
  subreddit(): Promise<Subreddit>;
  /** Every user flair, in the order of the subreddit. */
  flairs(): Promise<Flair[]>;
  /** The text of a user's flair; undefined if there is none. */
  flairOf(userName: string): Promise<string | undefined>;
  isApproved(userName: string): Promise<boolean>;
  /** One page of users and, for flairs, their text. */
  list(part: ListPart, after: string | undefined): Promise<{ users: { name: string; text?: string }[]; next?: string }>;
  setFlair(userName: string, flairId: string): Promise<void>;
  removeFlair(userName: string): Promise<void>;
  approve(userName: string): Promise<void>;
  unapprove(userName: string): Promise<void>;
}

/** The roles of a member; an absent one is not there. */
export interface Member {
  name: string;
  flair?: string;
  approved?: string;
}

export interface Result {
  orderId: string;
  outcome: 'applied' | RedditFault['kind'];
  roleId?: string;
  /** As read after the change. */
  member?: Member;
}

const approved = 'approved';
const flairPrefix = 'flair:';

/** Reddit shows the text of a user's flair, not its id, so flairs are told apart by their text. */
export function roleOf(text: string | undefined, flairs: readonly Flair[]): string | undefined {
  const flair = text === undefined ? undefined : flairs.find((one) => one.text === text);
  return flair && `${flairPrefix}${flair.id}`;
}

export async function readMember(reddit: RedditAccess, name: string, flairs: readonly Flair[]): Promise<Member> {
  const [text, isApproved] = await Promise.all([reddit.flairOf(name), reddit.isApproved(name)]);
  const flair = roleOf(text, flairs);
  return { name, ...(flair !== undefined && { flair }), ...(isApproved && { approved }) };
}

/** Applies a change, and reads back what Reddit has now. Applying it again changes nothing. */
export async function applyOrder(reddit: RedditAccess, order: Order, flairs: readonly Flair[]): Promise<Result> {
  const { id: orderId, userName: name } = order;
  let roleId: string | undefined;
  const change = async (about: string, step: () => Promise<void>) => {
    roleId = about;
    await step();
    roleId = undefined;
  };
  try {
    const before = await readMember(reddit, name, flairs);
    const flair = order.add.find((one) => one.startsWith(flairPrefix));
    if (flair !== undefined && flair !== before.flair)
      await change(flair, () => reddit.setFlair(name, flair.slice(flairPrefix.length)));
    else if (flair === undefined && before.flair !== undefined && order.remove.includes(before.flair))
      await change(before.flair, () => reddit.removeFlair(name));
    if (order.add.includes(approved) && before.approved === undefined)
      await change(approved, () => reddit.approve(name));
    else if (order.remove.includes(approved) && before.approved !== undefined)
      await change(approved, () => reddit.unapprove(name));
    const member = await readMember(reddit, name, flairs);
    const held = [member.flair, member.approved];
    const isDone = order.add.every((one) => held.includes(one)) && !order.remove.some((one) => held.includes(one));
    return { orderId, outcome: isDone ? 'applied' : 'failed', member };
  } catch (error) {
    const outcome = error instanceof RedditFault ? error.kind : 'failed';
    return { orderId, outcome, ...(roleId !== undefined && { roleId }) };
  }
}
