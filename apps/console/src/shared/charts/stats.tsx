import { VisuallyHidden } from '@mantine/core';
import { formatDay, formatNumber } from './scale.ts';

export interface Series {
  name: string;
  /** One value for each day; undefined where nobody counted. */
  values: readonly (number | undefined)[];
}

/** What a chart shows, as a table for those who cannot see it. */
export function Stats({
  title,
  dates,
  series,
}: {
  title: string;
  dates: readonly string[];
  series: readonly Series[];
}) {
  return (
    <VisuallyHidden>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {dates.map((date, index) => (
            <tr key={date}>
              <th scope="row">{formatDay(date)}</th>
              {series.map(({ name, values }) => {
                const value = values[index];
                return <td key={name}>{value === undefined ? 'not counted' : formatNumber(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
