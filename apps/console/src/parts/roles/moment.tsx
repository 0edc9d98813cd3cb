import { t } from '../../messages/index.ts';

/** A moment in the reader's own zone and language: of today the time alone. Isolated, so that a name before it leaves its order alone. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={t.formatDate(date, { dateStyle: 'full', timeStyle: 'long' })}>
      <bdi>{isToday ? t.formatDate(date, { timeStyle: 'short' }) : t.dateTime(date)}</bdi>
    </time>
  );
}
