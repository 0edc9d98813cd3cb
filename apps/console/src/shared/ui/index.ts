export { ConfirmButton, ConfirmDialog, UnsavedChanges } from './confirm.tsx';
export { Dialog } from './dialog.tsx';
export { Form, useForm } from './form.tsx';
export { Choices, type Crumb, Page, Section } from './page.tsx';
export { EmptyState, Failure, List, Loading, More, PagedList, Query, QueryList } from './query.tsx';
export { CopyText, FilterBar, NewSecrets, Picture, Row, SearchField, State, Time, type Tone } from './row.tsx';
