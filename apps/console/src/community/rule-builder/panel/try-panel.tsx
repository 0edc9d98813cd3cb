import { Button, SegmentedControl, TextInput, VisuallyHidden } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../../shared/api/index.ts';
import { IconCheck, IconQuestionMark, IconX } from '../../../shared/icons.tsx';
import { isObject } from '../../../shared/is-object.ts';
import { MemberField } from '../../../shared/member-field.tsx';
import { Failure, State } from '../../../shared/ui/index.ts';
import styles from '../builder.module.css';
import type { Fields } from '../tree/node.ts';

const subjects = [
  { value: 'wallet', label: 'Wallet' },
  { value: 'member', label: 'Member' },
];

/** Tries the draft on a wallet or a member, before anything is saved. */
export function TryPanel({ communityId, rule }: { communityId: string; rule: Fields | undefined }) {
  const [isMember, setIsMember] = useState(false);
  const [account, setAccount] = useState('');
  const [userId, setUserId] = useState<string>();
  const trial = useAction('POST /latchkey/communities/{communityId}/rule-drafts/try');
  const subject = isMember ? userId && { userId } : account.trim() !== '' && { account: account.trim() };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (rule !== undefined && subject) trial.run({ communityId, body: { rule, ...subject } });
  };
  return (
    <section className={styles.panel} aria-labelledby="try-rule">
      <h2 id="try-rule">Try it</h2>
      <form onSubmit={submit} className={styles.board}>
        <SegmentedControl
          aria-label="Try it on"
          data={subjects}
          value={isMember ? 'member' : 'wallet'}
          onChange={(value) => {
            setIsMember(value === 'member');
            trial.reset();
          }}
        />
        {isMember ? (
          <MemberField communityId={communityId} label="Member" hidesLabel value={userId} onChange={setUserId} />
        ) : (
          <TextInput
            aria-label="Wallet address or name"
            placeholder="0x… or alice.eth"
            value={account}
            maxLength={200}
            onChange={({ currentTarget }) => setAccount(currentTarget.value)}
          />
        )}
        <div>
          <Button
            type="submit"
            variant="default"
            size="compact-sm"
            loading={trial.isRunning}
            disabled={rule === undefined || !subject}
          >
            Try
          </Button>
        </div>
      </form>
      <Failure error={trial.error} />
      {trial.answer !== undefined && (
        <div role="status" className={styles.board}>
          <Outcome qualifies={trial.answer.qualifies} />
          <ReasonTree reason={trial.answer.reason} />
        </div>
      )}
    </section>
  );
}

function Outcome({ qualifies }: { qualifies: boolean | undefined }) {
  if (qualifies === undefined) return <State tone="warn">Could not be checked</State>;
  return qualifies ? <State tone="good">Qualifies</State> : <State tone="bad">Does not qualify</State>;
}

const marks = {
  true: [IconCheck, 'Met:'],
  false: [IconX, 'Not met:'],
  unknown: [IconQuestionMark, 'Could not be checked:'],
} as const;

/** Why a rule came out as it did, condition by condition. */
function ReasonTree({ reason }: { reason: Fields }) {
  return (
    <ul className={styles.tree}>
      <ReasonNode reason={reason} />
    </ul>
  );
}

function ReasonNode({ reason }: { reason: Fields }) {
  const truth = reason.truth === 'true' || reason.truth === 'false' ? reason.truth : 'unknown';
  const [Mark, words] = marks[truth];
  const parts: readonly unknown[] = Array.isArray(reason.parts) ? reason.parts : [];
  return (
    <li>
      <span className={styles.node} data-truth={truth}>
        <Mark size={18} aria-hidden="true" />
        <span>
          <VisuallyHidden>{words} </VisuallyHidden>
          {parts.length > 0 ? groupWords(reason) : capital(String(reason.text ?? ''))}
          {typeof reason.found === 'string' && <span className={styles.found}>{reason.found}</span>}
        </span>
      </span>
      {parts.length > 0 && (
        <ul>
          {parts.filter(isObject).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer that does not change.
            <ReasonNode key={index} reason={part} />
          ))}
        </ul>
      )}
    </li>
  );
}

function groupWords({ kind, count }: Fields): string {
  if (kind === 'and') return 'All of these';
  if (kind === 'or') return 'Any of these';
  return kind === 'not' ? 'None of these' : `At least ${String(count ?? 1)} of these`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
