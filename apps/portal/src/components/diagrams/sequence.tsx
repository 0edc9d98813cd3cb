import { useId } from 'react';
import styles from './diagrams.module.css';

interface Props {
  /** What the picture shows, as a sentence. */
  label: string;
  actors: readonly string[];
  /** Sender, receiver and message of each step. */
  steps: readonly (readonly [from: string, to: string, text: string])[];
}

const column = 190;
const head = 34;
const lineHeight = 17;
const charsPerColumn = 25;

/** A sequence diagram as inline SVG. Screen readers get its steps as a list. */
export function Sequence({ label, actors, steps }: Props) {
  const id = useId();
  const centre = (actor: string) => (actors.indexOf(actor) + 0.5) * column;
  let bottom = head + 18;
  const rows = steps.map(([from, to, text]) => {
    const columns = Math.max(1, Math.abs(actors.indexOf(from) - actors.indexOf(to)));
    const lines = wrapText(text, charsPerColumn * columns);
    const top = bottom;
    bottom += lines.length * lineHeight + 22;
    return { from, to, lines, top, y: top + lines.length * lineHeight + 3 };
  });
  const width = actors.length * column;
  return (
    <figure className={styles.figure}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div className={styles.scroll} tabIndex={0}>
        <svg
          className={styles.picture}
          viewBox={`0 0 ${width} ${bottom + 8}`}
          width={width}
          height={bottom + 8}
          role="img"
          aria-labelledby={`${id}t`}
          aria-describedby={`${id}d`}
        >
          <title id={`${id}t`}>{label}</title>
          <desc id={`${id}d`}>{steps.map(([from, to, text]) => `${from} to ${to}: ${text}.`).join(' ')}</desc>
          {actors.map((actor) => (
            <g key={actor}>
              <line className={styles.life} x1={centre(actor)} x2={centre(actor)} y1={head} y2={bottom} />
              <rect className={styles.box} x={centre(actor) - 78} y={1} width={156} height={head - 2} rx={8} />
              <text className={styles.name} x={centre(actor)} y={head / 2 + 5}>
                {actor}
              </text>
            </g>
          ))}
          {rows.map(({ from, to, lines, top, y }) => (
            <g key={`${from}${to}${top}`}>
              {lines.map((line, index) => (
                <text
                  className={styles.words}
                  key={line}
                  x={from === to ? centre(from) + 34 : (centre(from) + centre(to)) / 2}
                  y={top + (index + 0.7) * lineHeight}
                  data-aside={from === to}
                >
                  {line}
                </text>
              ))}
              <path className={styles.arrow} d={arrowPath(centre(from), centre(to), y)} />
            </g>
          ))}
        </svg>
      </div>
      <figcaption className={styles.caption}>{label}</figcaption>
    </figure>
  );
}

function arrowPath(from: number, to: number, y: number): string {
  if (from === to) return `M${from} ${y - 18}h24v16h-22m6 -4l-6 4l6 4`;
  const back = to > from ? -7 : 7;
  return `M${from} ${y}H${to}m${back} -4l${-back} 4l${back} 4`;
}

/** Wraps a text into lines of at most this many characters, between words. */
function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
