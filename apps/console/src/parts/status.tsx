export type Tone = 'busy' | 'good' | 'bad';

export interface StatusMessage {
  tone: Tone;
  text: string;
}

/** The live region of a section. It is always rendered, because screen readers only announce changes inside an element they know. */
export function Status({ status: reply }: { status: StatusMessage | undefined }) {
  return (
    <div role="status" aria-live="polite" className="status-place">
      {reply && (
        <p className={`status ${reply.tone}`}>
          {reply.tone === 'busy' && <span className="spinner" aria-hidden="true" />}
          {reply.text}
        </p>
      )}
    </div>
  );
}
