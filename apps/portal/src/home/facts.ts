import useDocusaurusContext from '@docusaurus/useDocusaurusContext';

/** What the software knows of itself, put into the site when it was built. */
export function useFact(name: string): string {
  const { siteConfig } = useDocusaurusContext();
  // The configuration of the site fills this from the generated facts.
  const { facts } = siteConfig.customFields as { facts: Record<string, string> };
  return facts[name] ?? '';
}
