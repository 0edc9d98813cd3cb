import { Link } from '@tanstack/react-router';
import { Section } from '../../shared/ui/index.ts';

/** The way to shadow mode, for those who have another bot. */
export function ShadowMode({ communityId }: { communityId: string }) {
  return (
    <Section
      title="Shadow mode"
      lead="Run beside another bot: see where its roles differ from your rules before Latchkey writes any."
    >
      <Link to="/communities/$communityId/shadow-mode" params={{ communityId }}>
        Open shadow mode
      </Link>
    </Section>
  );
}
