//! The words by which texts in English, French and Spanish speak of hardware, as expressions.

use crate::architectures::{architectures, features, products};
use regex::Regex;
use std::sync::LazyLock;

pub(super) struct Patterns {
    pub architecture: Made,
    /// Behind an architecture: and what came later.
    pub and_newer: Made,
    /// Before a name: it is denied, or only compared with.
    pub denied: Made,
    /// Behind a name: cards of another kind are meant as well, as in "Ada/consumer".
    pub or_other_kind: Made,
    /// Names that are letters in capitals: `A100`.
    pub product: Made,
    /// Names that are written in any way: `rtx 3090`.
    pub product_any_case: Made,
    /// Behind a name: it is another product, which is not known.
    pub other_product: Made,
    /// Behind a name: a form of the product that differs in some things.
    pub variant: Made,
    pub series: Made,
    pub feature: Made,
    pub memory: Made,
    /// "compute capability"
    pub capability: Made,
    /// Behind a number: it is a capability.
    pub capability_follows: Made,
    /// A number, or the name of a target: `sm_86`.
    pub number: Made,
    /// Between "compute capability" and a number that belongs to it.
    pub leads_on: Made,
    /// Behind a number that is an amount.
    pub unit: Made,
    /// Before a number that is a version.
    pub version: Made,
    /// `- 8.9`
    pub range: Made,
    pub or_more: Made,
    pub or_less: Made,
    /// Before a number: `>=`, `at least`.
    pub bound: Made,
    pub below: Made,
    pub above: Made,
    /// What may stand between two names where one says what the other is.
    pub links: Made,
    /// What may stand between names of one list.
    pub list: Made,
    /// In a sentence that speaks of a mistake.
    pub doubt: Made,
    /// In a text that is about GPUs.
    pub about_gpus: Made,
    /// In a sentence in which numbers may be versions.
    pub versions: Made,
    /// In a sentence about memory that is used.
    pub memory_used: Made,
    /// More than one card, or less.
    pub several: Made,
    /// Between a feature and what it needs.
    pub needs: Made,
    /// Between hardware and a feature that it has.
    pub offers: Made,
    pub exclusive: Made,
    /// In a sentence that says that a feature is there elsewhere too.
    pub not_exclusive: Made,
    /// Between a feature and the only hardware that is said to have it.
    pub only_there: Made,
    /// In a sentence that says where a feature is missing, or made up by software.
    pub lacking: Made,
    /// In a message that says which hardware is wanted, and not which is there.
    pub wanted: Made,
    pub by_default: Made,
    pub mantissa: Made,
}

/// Made when it is first needed: most files need few of them, and some take long to make.
type Made = LazyLock<Regex>;

/// Cards of a kind that is no architecture.
const KIND: &str =
    "(?:consumer|desktop|gaming|laptop|mobile|older|newer|other|professional|similar|workstation)";

const CUE: &str = "compute[ _-]?capabilit(?:y|ies)|cuda[ _-]?capabilit(?:y|ies)|capabilit(?:y|ies)\
                   |capacités? de calcul|capacidad(?:es)? de (?:c[oó]mputo|c[aá]lculo)|compute[ _-]?cap|\\bcc";

pub(super) static PATTERNS: Patterns = Patterns {
    architecture: Made::new(|| any(architectures().iter().flat_map(|one| &one.words))),
    and_newer: Made::new(|| {
        expression(
            r"^(?:\s+(?:gpus?|generation|architectures?|cards?|series|class|devices?))?(?:\s*\+|\s*(?:,\s*)?(?:and|or|et|ou|y|o)\s+(?:newer|later|above|higher|up|better|beyond|onwards?|greater|plus\s+récente?s?|ultérieure?s?|supérieure?s?|posterior(?:es)?|superior(?:es)?|más\s+nuev[ao]s?|más\s+recientes?)|\s+onwards?|\s*(?:架构|系列|显卡|アーキテクチャ)?\s*(?:(?:及其?|和|或者?|与)\s*(?:更新|更高|更晚)|[及或]?(?:以上|以后|之后|以降|以後)|이상|이후))",
        )
    }),
    denied: Made::new(|| {
        expression(
            r"(?:\b(?:pre|none?|post)[- ]?|\b(?:not|no|never|isn't|aren't|before|below|than|unlike|without|vs\.?|versus|pas|avant|sans|antes\s+de|sin|nor)\s+(?:(?:an?|the|all|any|every|to|be|nvidia|de|la|le|une?|una?)\s+)?)$",
        )
    }),
    or_other_kind: Made::new(|| expression(&format!(r"^/{KIND}\b"))),
    product: Made::new(|| Regex::new(&product_names().1).expect("fixed words")),
    product_any_case: Made::new(|| expression(&product_names().0)),
    other_product: Made::new(|| expression(r"^[ -]?(?:ti|super|gre|d|m)\b")),
    variant: Made::new(|| {
        expression(
            r"^(?:[ -]?(?:laptop|mobile|max-?q|notebook|portable|portátil|nvl|gpu laptop)|\s+\(?(?:laptop|mobile|notebook|max-?q))",
        )
    }),
    series: Made::new(|| {
        expression(r"\b(RTX|GTX)[ -]?(10|16|20|30|40|50)(?:xx|x0|0x0|(?:00)?[ -]?(?:series|serie|série))")
    }),
    feature: Made::new(|| any(features().iter().flat_map(|one| &one.words))),
    memory: Made::new(|| expression(r"(\d{1,3}(?:\.\d+)?)[ -]?(?:GB|GiB|Go)")),
    capability: Made::new(|| expression(CUE)),
    capability_follows: Made::new(|| expression(&format!(r"^\s*(?:{CUE})"))),
    number: Made::new(|| {
        expression(
            r"(?:\bsm[ _-]?|\bcompute_)(?P<sm>\d{1,2}\.\d|\d{1,2}\.?x|\d{2,3})[af]?|(?P<number>\(\s*\d{1,2}\s*,\s*\d\s*\)|\d{1,2}\.[\dx]|\d{2,3})",
        )
    }),
    leads_on: Made::new(|| {
        expression(
            r#"^[\s:=()`'"*≥≤<>~\[\]{}/,&|–—+-]*(?:(?:of|is|are|version|level|at|least|minimum|min|de|es|est|son|sont|and|or|to|y|et|ou|o|a|à|from|between|than|under|higher|newer|later|greater|above|through|cc|sm|al|menos|au|moins)[\s:=()`'"*≥≤<>~\[\]{}/,&|–—+-]*)*$"#,
        )
    }),
    unit: Made::new(|| {
        expression(
            r"^\s?(?:[GMTK]i?B|Go\b|Mo\b|To\b|T?FLOPS?|ms\b|s\b|secs?\b|seconds?\b|min\b|h\b|hours?\b|x\b|×|%|GHz|MHz|W\b|nm\b|fps|it/s|tok|bits?\b|cores?\b|billion|million|B\b|SMs?\b)",
        )
    }),
    version: Made::new(|| {
        expression(
            r"(?:\b(?:cuda|cudnn|tensorrt|trt|pytorch|torch|python|version|driver|toolkit|nvcc|tensorflow|tf|jax|release|triton|vllm|opencl|vulkan|pcie|hbm|gen|nccl|numba|cupy)(?:[ -]?(?:toolkit|version|>=|≥|==|v))*[\s:=(≥>]*|\bv|[a-z]-)$",
        )
    }),
    range: Made::new(|| {
        expression(
            r"^\s*(?:-|–|—|\bto\b|\bthrough\b|\bà\b|\bhasta\b|\ba\b)\s*(?:sm[ _]?)?(\d{1,2}\.\d|\d{2,3})\b",
        )
    }),
    or_more: Made::new(|| {
        expression(
            r"^(?:\+|\s*(?:,\s*)?(?:and|or|et|ou|y|o)\s+(?:newer|later|above|higher|greater|up|better|more|beyond|plus|supérieure?|superior|más|mayor|posterior)|\s*(?:(?:及其?|和|或者?|与)\s*(?:更新|更高)|[及或]?(?:以上|以后|以降|以後)|이상))",
        )
    }),
    or_less: Made::new(|| {
        expression(
            r"^\s*(?:,\s*)?(?:and|or|et|ou|y|o)\s+(?:lower|below|older|earlier|less|under|moins|inférieure?|menos|inferior|menor)",
        )
    }),
    bound: Made::new(|| {
        expression(
            r"(>=|≥|=>|<=|≤|=<|>|<|\b(?:at least|minimum|min\.?|from|starting (?:at|from|with)|au moins|à partir de|al menos|a partir de|desde|above|over|greater than|higher than|newer than|below|under|less than|lower than|older than|before))[\s`(*]*(?:(?:compute capability|cc|sm)[\s_`]*)?$",
        )
    }),
    below: Made::new(|| expression(r"^(?:below|under|less than|lower than|older than|before)$")),
    above: Made::new(|| expression(r"^(?:above|over|greater than|higher than|newer than)$")),
    links: Made::new(|| {
        expression(&format!(
            r"(?:{CUE}|\b(?:e\.g|i\.e|cuda|sm|architectures?|arquitecturas?|arch|gpus?|cards?|nvidia|geforce|tesla|quadro|generations?|gen|série|serie|series|class|family|chips?|devices?|with|of|the|is|are|was|has|have|had|at|for|like|such|as|including|based|on|level|version|an?|its|de|du|la|les?|el|los|las|est|sont|ont|ayant|avec|possède(?:nt)?|dispose(?:nt)?|des|dotées?|dotés?|dispone|disponen|tienen|poseen?|cuentan?|correspondent|corresponden|une?|cartes?|génération|comme|es|son|con|tiene|tarjetas?|generación|como|desktop|data|center|datacenter|consumer|workstation|professional|reports?|means|equals|corresponds?|corresponde|correspond|denotes|refers|uses|belongs|to|which|that|a|un|une|una|vram|memory|lovelace|detected|laptop|mobile|sxm\d?|pcie)\b|[\s:=()`'*\[\]{{}}|/,&–—>~.#✅❌→⇒-]|\x22)"
        ))
    }),
    list: Made::new(|| {
        expression(&format!(r#"^[\s,/&+*`'"|]*(?:\b(?:and|or|et|ou|y|o|e)\b)?[\s*`'"]*(?:\b{KIND}\s)?$"#))
    }),
    doubt: Made::new(|| {
        expression(
            r"\?\s*$|\b(?:wrong|wrongly|mistook|myth|misconception|false|faux|erreur|bug|bogus|error|typo|instead of|rather than|should be|used to|formerly)\b|\b(?:incorrect|mislabel|misreport|misidentif|pretend|spoof|fake|mistak|confus|erron|equivoc)",
        )
    }),
    about_gpus: Made::new(|| {
        expression(r"\bgpus?\b|nvidia|\bcuda\b|compute capability|\bsm_\d|geforce|\brtx\b|tensor cores?")
    }),
    versions: Made::new(|| {
        expression(r"\b(?:cuda|cudnn|tensorrt|driver|version|toolkit|since|release[ds]?)\b")
    }),
    memory_used: Made::new(|| {
        expression(
            r"\b(?:us(?:e[ds]?|ing|age)|needs?|needed|requires?|required|fits?|peak|free|left|available|allocated?|reserved?|at least|minimum|limit(?:ed)?|budget|per|only|spare|headroom|libre|disponible|utilisée?|usad[oa]|necesita|nécessite|mig|slices?|vgpu|shared|half|host|ram|cpu|swap|model|weights|batch)\b|\b(?:consum|offload|partition|utili[sz])",
        )
    }),
    several: Made::new(|| {
        expression(
            r"(?:\b\d{1,4}\s?[x×]\s*$|\b(?:dual|two|three|four|eight|pair of|both|deux|dos|quatre|cuatro)\s+(?:nvidia\s+)?(?:geforce\s+)?$|\b[2-9]\s+(?:nvidia\s+)?(?:geforce\s+)?$|\b16\s+$)",
        )
    }),
    needs: Made::new(|| {
        expression(
            r"^[\s*`:(]*(?:\b(?:(?:is|are)\s+)?(?:only\s+)?(?:supports?|support|tensor cores?|kernels?|math|requires?|needs?|required|supported|available|works?|runs?|exists?|est|sont|está|están|pris(?:e|es)?|prise?s? en charge|par|por|fonctionne|funciona|soportad[oa]s?|admitid[oa]s?|les|las?|los|cartes?|tarjetas?|introduced|minimum|min|from|since|on|with|starting|at|in|in hardware|hardware|native|natively|nécessite|requiert|exige|disponible|à partir d[eu']|requiere|necesita|desde|a partir de|en|sur|soporte|soportado|gpus?|an?|of|compute[ _-]?capability|capability|cc|sm|nvidia|capacité de calcul|capacidad de c[oó]mputo|the|architecture|arquitectura|cards?|generation)\b[\s*`:(>=≥]*)*$",
        )
    }),
    offers: Made::new(|| {
        expression(
            r"^[\s*`]*(?:\b(?:gpus?|cards?|the|architecture|generation|already|first|to|with|soporte|para|con|nativo|native|natively|hardware|tensor|cores?|tarjetas?|las|les|cartes|de)\b[\s*`]*)*\b(?:supports?|introduce[ds]|brings?|brought|adds?|added|offers?|provides?|has|have|soportan?|prend en charge|prennent en charge|apporte|introdujo|admite|supportent?)\b(?:[\s*`]*\b(?:support|for|native|hardware|the|tensor|cores?|first|de|le|la|los|el|both|fp16|int8|and|y|et)\b|[\s*`,])*$",
        )
    }),
    exclusive: Made::new(|| expression(r"\bexclusi[vf]")),
    not_exclusive: Made::new(|| {
        expression(
            r"\b(?:not|no|never|nunca|pas|nor|isn't|aren't|non)\b(?:\s+\w+){0,3}?[\s-]+exclusi[vf]|exclusi[vf]\w*\s+(?:pas|no)\b",
        )
    }),
    only_there: Made::new(|| {
        expression(
            r"^[\s*`]*(?:support\s+)?(?:(?:is|are|est|sont|está|están)\s+)?(?:only\s+(?:available|supported|works?|runs?|exists?|found|present)|(?:available|supported|works|runs|exists|found|present)\s+only|(?:(?:uniquement|seulement)\s+)?disponibles?\s+(?:uniquement|seulement)|uniquement\s+disponibles?|(?:solo|sólo|solamente|únicamente)\s+(?:está\s+)?disponibles?|disponibles?\s+(?:solo|sólo|solamente|únicamente))\s+(?:on|with|in|sur|en|in)\s+(?:(?:nvidia|the|les?|las?|los)\s+)?(?:(?:gpus?|cartes|tarjetas)\s+)?$",
        )
    }),
    lacking: Made::new(|| {
        expression(
            r"\b(?:not?|never|without|lacks?|lacking|missing|unsupported|absent|cannot|can't|doesn't|don't|fall(?:s)? ?back|fallback|software|until|pas|sans|aucun|sin|ninguna?|nunca|tampoco|faux|instead|unless|except|before|disabled?|error|raises?)\b|\b(?:slow|hang|crash|fail|skip|emulat)|❌|✗|✘|n't",
        )
    }),
    wanted: Made::new(|| {
        expression(
            r"\b(?:only|needs?|must|at least|minimum|upgrade|seulement|uniquement|requiert|faut|sólo|solo|solamente)\b|\b(?:exige|necesita|requir|requiere)",
        )
    }),
    by_default: Made::new(|| {
        expression(
            r"\b(?:(?:on|enabled|active|activated|used|turned on|activ[ée]e?|activad[oa]|habilitad[oa])\s+by\s+default|by default|par défaut|por defecto|predeterminad[oa])\b",
        )
    }),
    mantissa: Made::new(|| {
        expression(
            r"\b(\d{1,2})[ -]?bits?(?:\s+de)?\s+manti[s]*[ae]?\w*|\bmanti[s]*[ae]\w*\s+(?:of|de)\s+(\d{1,2})[ -]?bits?",
        )
    }),
};

fn expression(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("fixed words")
}

/// Any of these words, the longest first.
fn any<'w>(words: impl Iterator<Item = &'w String>) -> Regex {
    let mut words: Vec<&str> = words.map(String::as_str).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let words: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
    expression(&format!("(?:{})", words.join("|")))
}

/// The names of products: those that may be written in any case, and those that are a letter and a number.
fn product_names() -> (String, String) {
    let mut names: Vec<&str> = products().iter().map(|one| one.name.as_str()).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let (mut any_case, mut as_written) = (Vec::new(), Vec::new());
    for name in names {
        let pattern = match name.split_once(' ') {
            Some(("Tesla", rest)) if rest.len() > 2 => format!("(?:Tesla[ -]?)?{rest}"),
            Some(("RTX", rest)) if rest.starts_with('A') => format!("(?:RTX[ -]?)?{rest}"),
            _ => name.replace(' ', "[ _-]?"),
        };
        match name.contains(' ') && !name.starts_with("Tesla") {
            true => any_case.push(pattern),
            false => as_written.push(pattern),
        }
    }
    (format!("(?:{})", any_case.join("|")), format!("(?:{})", as_written.join("|")))
}
