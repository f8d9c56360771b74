/** The icon of the pages, an SVG. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-linecap="round">
<rect width="32" height="32" rx="8" fill="#15803d"/>
<path d="M9 5v22M16 5v22M23 5v22M5 11h22M5 21h22" stroke="#bbf7d0" stroke-width="2.4"/>
</svg>`;
