import type { Client, Mailbox } from './mailbox.ts';

const [proposed, answered, settled] = [1100, 1101, 1102];

/** Runs a method of the relay's JSON-RPC. Undefined stands for a method that it does not know. */
export function runMethod(mailbox: Mailbox, client: Client, method: string, params: Record<string, unknown>): unknown {
  const topic = String(params.topic);
  const topics = Array.isArray(params.topics) ? params.topics.map(String) : [];
  const publish = (to: unknown, message: unknown, tag: unknown) =>
    mailbox.publish(client, { topic: String(to), message: String(message), tag: Number(tag) }, Number(params.ttl));
  switch (method) {
    case 'irn_publish':
      return publish(topic, params.message, params.tag);
    case 'irn_subscribe':
      return mailbox.subscribe(client, topic);
    case 'irn_batchSubscribe':
      return topics.map((each) => mailbox.subscribe(client, each));
    case 'irn_unsubscribe':
      client.topics.delete(topic);
      return true;
    case 'irn_fetchMessages':
      return { messages: mailbox.waiting(client, topic), hasMore: false };
    case 'irn_batchFetchMessages':
      return { messages: topics.flatMap((each) => mailbox.waiting(client, each)), hasMore: false };
    case 'wc_proposeSession':
      mailbox.subscribe(client, String(params.pairingTopic));
      return publish(params.pairingTopic, params.sessionProposal, proposed);
    case 'wc_approveSession':
      mailbox.subscribe(client, String(params.sessionTopic));
      publish(params.pairingTopic, params.sessionProposalResponse, answered);
      return publish(params.sessionTopic, params.sessionSettlementRequest, settled);
    default:
      return undefined;
  }
}
