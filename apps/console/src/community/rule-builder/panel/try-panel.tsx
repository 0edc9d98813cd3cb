import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../../shared/api/index.ts';
import { isObject } from '../../../shared/is-object.ts';
import { MemberField } from '../../../shared/parts/member-field.tsx';
import { type ReasonLine, ReasonTree } from '../../../shared/parts/why.tsx';
import { Failure, State } from '../../../shared/ui/index.ts';
import styles from '../builder.module.css';
import { t } from '../messages/index.ts';
import type { Fields } from '../tree/node.ts';

const subjects = ['wallet', 'member'] as const;

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
      <h2 id="try-rule">{t('try.title')}</h2>
      <form onSubmit={submit} className={styles.board}>
        <SegmentedControl
          aria-label={t('try.on')}
          data={subjects.map((value) => ({ value, label: t(`try.${value}`) }))}
          value={isMember ? 'member' : 'wallet'}
          onChange={(value) => {
            setIsMember(value === 'member');
            trial.reset();
          }}
        />
        {isMember ? (
          <MemberField
            communityId={communityId}
            label={t('try.member')}
            hidesLabel
            value={userId}
            onChange={setUserId}
          />
        ) : (
          <TextInput
            aria-label={t('try.account')}
            placeholder={t('try.accountPlaceholder')}
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
            {t('try.submit')}
          </Button>
        </div>
      </form>
      <Failure error={trial.error} />
      {trial.answer !== undefined && (
        <div role="status" className={styles.board}>
          <Outcome qualifies={trial.answer.qualifies} />
          <ReasonTree lines={linesOf(trial.answer.reason)} />
        </div>
      )}
    </section>
  );
}

function Outcome({ qualifies }: { qualifies: boolean | undefined }) {
  if (qualifies === undefined) return <State tone="warn">{t('try.unknown')}</State>;
  return qualifies ? (
    <State tone="good">{t('try.qualifies')}</State>
  ) : (
    <State tone="bad">{t('try.doesNotQualify')}</State>
  );
}

const outcomes = { true: 'met', false: 'not-met' } as const;

/** The reason as the lines of a tree, a group before its parts. */
function linesOf(reason: Fields, depth = 0): ReasonLine[] {
  const { truth, found } = reason;
  const parts = Array.isArray(reason.parts) ? reason.parts.filter(isObject) : [];
  const line = {
    depth,
    outcome: truth === 'true' || truth === 'false' ? outcomes[truth] : 'unknown',
    text: parts.length > 0 ? groupWords(reason) : capital(String(reason.text ?? '')),
    ...(typeof found === 'string' && { found }),
  } as const;
  return [line, ...parts.flatMap((part) => linesOf(part, depth + 1))];
}

function groupWords({ kind, count }: Fields): string {
  if (kind === 'and') return t('group.all');
  if (kind === 'or') return t('group.any');
  return kind === 'not' ? t('group.none') : t('group.atLeastCount', { count: String(count ?? 1) });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
