import { useId } from 'react';
import styles from './home.module.css';

/** A drawing of how a member gets a role: a wallet signs, Latchkey checks, the chain answers, the community opens. */
export function Flow() {
  const id = useId();
  return (
    <svg
      className={styles.flow}
      viewBox="0 0 460 300"
      role="img"
      aria-labelledby={`${id}t`}
      aria-describedby={`${id}d`}
    >
      <title id={`${id}t`}>How a member gets a role</title>
      <desc id={`${id}d`}>
        A wallet signs a message. Latchkey verifies the signature and asks the chain what the wallet holds. The rule is
        met, so the member gets the role in the community.
      </desc>
      <path className={styles.wire} d="M110 78H196" />
      <path className={styles.wire} d="M264 78H350" />
      <path className={styles.wire} d="M230 128V196" />
      <circle className={styles.pulse} data-leg="sign" r="5" cx="110" cy="78" />
      <circle className={styles.pulse} data-leg="ask" r="5" cx="264" cy="78" />
      <circle className={styles.pulse} data-leg="grant" r="5" cx="230" cy="128" />
      <g className={styles.node}>
        <rect x="14" y="38" width="96" height="80" rx="12" />
        <path className={styles.line} d="M38 62h48v32H38zM38 70h48M74 82h12" />
        <text x="62" y="138">
          Wallet
        </text>
        <text className={styles.step} x="62" y="156">
          signs a message
        </text>
      </g>
      <g className={styles.door}>
        <rect x="196" y="28" width="68" height="100" rx="12" />
        <path d="M210 128V72a20 20 0 0 1 40 0v56z" />
        <path className={styles.key} d="M230 76a9 9 0 0 1 4 17v6h6v6h-6v8h-8v-20a9 9 0 0 1 4-17z" />
      </g>
      <g className={styles.node}>
        <rect x="350" y="38" width="96" height="80" rx="12" />
        <path className={styles.line} d="M374 66h20v20h-20zM402 66h20v20h-20zM394 76h8M388 94h20" />
        <text x="398" y="138">
          Chain
        </text>
        <text className={styles.step} x="398" y="156">
          says what it holds
        </text>
      </g>
      <g className={styles.node}>
        <rect x="120" y="196" width="220" height="72" rx="12" />
        <circle className={styles.line} cx="150" cy="232" r="14" />
        <path className={styles.line} d="M143 240a8 8 0 0 1 14 0" />
        <circle className={styles.line} cx="150" cy="228" r="4" />
        <text className={styles.left} x="176" y="226">
          Community
        </text>
        <rect className={styles.badge} x="176" y="235" width="82" height="20" rx="10" />
        <text className={styles.badgeText} x="217" y="249">
          Holder
        </text>
        <text className={styles.step} x="300" y="249">
          granted
        </text>
      </g>
    </svg>
  );
}
