import { t } from '../../messages/index.ts';

/** A moment in the reader's own zone and language: of today the time alone. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={t.formatDate(date, { dateStyle: 'full', timeStyle: 'long' })}>
      {isToday ? t.formatDate(date, { timeStyle: 'short' }) : t.dateTime(date)}
    </time>
  );
}
