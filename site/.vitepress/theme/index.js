// The default theme with system fonts and Mermaid diagrams.
import DefaultTheme from 'vitepress/theme-without-fonts';
import Mermaid from './Mermaid.vue';

export default { extends: DefaultTheme, enhanceApp: ({ app }) => app.component('Mermaid', Mermaid) };
