/** Folders with the guides of the current version, and the blog. */
export const guideFolders = ['docs', 'help-docs', 'operators', 'dao', 'telefrens', 'blog'] as const;

/** Every folder with pages in Markdown. */
export const pageFolders: readonly string[] = [...guideFolders, 'versioned_docs', 'src/pages'];
