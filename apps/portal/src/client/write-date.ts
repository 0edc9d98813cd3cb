const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * Writes days as the build wrote them, in English and by UTC, without the browser's own calendar, which takes long to
 * load and would be asked for one line of a post.
 */
export const writtenDates = {
  format(date: Date): string {
    return `${months[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
  },
};
