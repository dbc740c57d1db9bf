/** Tab is a link in a row of tabs. */
export interface Tab {
  readonly label: string;
  readonly href: string;
  readonly current: boolean;
  /** How many entries the tab has, where that is known. */
  readonly count?: number | undefined;
}

/** Tabs are links to the parts of something: each is a location of its own, so it is a navigation and not a widget. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.href}>
            <a href={tab.href} aria-current={tab.current ? "page" : undefined}>
              {tab.label}
              {tab.count !== undefined && <span class="tab-count">{tab.count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
