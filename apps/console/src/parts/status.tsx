export type Tone = 'busy' | 'good' | 'bad';

export interface Said {
  tone: Tone;
  text: string;
}

/**
 * The one place of a section that says what is going on. It is always there, since screen readers only speak of changes
 * inside something they know.
 */
export function Status({ said }: { said: Said | undefined }) {
  return (
    <div role="status" aria-live="polite" className="status-place">
      {said && (
        <p className={`status ${said.tone}`}>
          {said.tone === 'busy' && <span className="spinner" aria-hidden="true" />}
          {said.text}
        </p>
      )}
    </div>
  );
}
