import useDocusaurusContext from '@docusaurus/useDocusaurusContext';

/** Returns a fact about the software, from build time. */
export function useFact(name: string): string {
  const { siteConfig } = useDocusaurusContext();
  // The configuration of the site fills this from the generated facts.
  const { facts } = siteConfig.customFields as { facts: Record<string, string> };
  return facts[name] ?? '';
}
