export type Tone = 'busy' | 'good' | 'bad';

export interface Said {
  tone: Tone;
  text: string;
}

/** The live region of a section. It is always rendered, because screen readers only announce changes inside an element they know. */
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
