import { Button, Group, Select } from '@mantine/core';
import { Failure, State, type Tone } from '../../shared/ui/index.ts';
import { type MessageId, t } from '../messages/index.ts';

const statuses = ['PENDING', 'APPROVED', 'LISTED', 'REJECTED', 'REVOKED'] as const;
export type Status = (typeof statuses)[number];

const tones: Readonly<Record<Status, Tone>> = {
  PENDING: 'warn',
  APPROVED: 'good',
  LISTED: 'good',
  REJECTED: 'plain',
  REVOKED: 'bad',
};

export function StatusState({ status }: { status: Status }) {
  return <State tone={tones[status]}>{t(`status.${status}`)}</State>;
}

export function StatusFilter({
  value,
  onChange,
}: {
  value: Status | undefined;
  onChange(status: Status | undefined): void;
}) {
  const all = statuses.map((status) => ({ value: status, label: t(`status.${status}`) }));
  return (
    <Select
      aria-label={t('common.status')}
      data={[{ value: '', label: t('common.all') }, ...all]}
      value={value ?? ''}
      allowDeselect={false}
      onChange={(chosen) => onChange(all.find((one) => one.value === chosen)?.value)}
    />
  );
}

export type DecisionText = MessageId & `decision.${string}`;

/** The possible decisions now; the last one is the primary button. */
export function Decisions<Decision extends string>({
  choices,
  action,
  onDecide,
}: {
  choices: readonly (readonly [Decision, DecisionText])[];
  action: { isRunning: boolean; error: unknown };
  onDecide(decision: Decision): void;
}) {
  return (
    <>
      <Failure error={action.error} />
      <Group justify="flex-end" gap="xs">
        {choices.map(([decision, text], index) => (
          <Button
            key={decision}
            variant={index === choices.length - 1 ? 'filled' : 'default'}
            loading={action.isRunning}
            onClick={() => onDecide(decision)}
          >
            {t(text)}
          </Button>
        ))}
      </Group>
    </>
  );
}
