import type { Props } from '@theme/TOC';
import TOC from '@theme-original/TOC';

/** The table of contents is a separate landmark, because a blog post has it outside of everything else. */
export default function NamedTOC(props: Props) {
  return (
    <nav className="toc-landmark" aria-label="On this page">
      <TOC {...props} />
    </nav>
  );
}
