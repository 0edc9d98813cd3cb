import { t } from '../../messages/index.ts';

/** A moment in the reader's own zone and language: of today the time alone. Isolated, so that a name before it leaves its order alone. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={inWords(date, { dateStyle: 'full', timeStyle: 'long' })}>
      <bdi>{inWords(date, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' })}</bdi>
    </time>
  );
}

/** English is also what people see whose language is not translated, so that their browser decides how it writes dates. */
function inWords(date: Date, style: Intl.DateTimeFormatOptions): string {
  const isEnglish = document.documentElement.lang === 'en';
  return isEnglish ? new Intl.DateTimeFormat(undefined, style).format(date) : t.formatDate(date, style);
}
