import { State, type Tone } from '../shared/ui/index.ts';

type Status = 'PENDING' | 'APPROVED' | 'REJECTED' | 'REVOKED' | 'LISTED';

const words: Readonly<Record<Status, { tone: Tone; says: string }>> = {
  PENDING: { tone: 'warn', says: 'Waiting for review' },
  APPROVED: { tone: 'good', says: 'Approved' },
  REJECTED: { tone: 'bad', says: 'Rejected' },
  REVOKED: { tone: 'bad', says: 'Revoked' },
  LISTED: { tone: 'good', says: 'Listed' },
};

/** Where an application or a mini-app stands in the operator's review. */
export function ReviewState({ status }: { status: Status }) {
  const { tone, says } = words[status];
  return <State tone={tone}>{says}</State>;
}
