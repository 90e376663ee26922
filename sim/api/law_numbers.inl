// The numbers that pair laws take beside the softening, one row each: member, default, least, most, unit, label, what it
// does, help of the option, laws that read it, end of the refusal. Settings, requests, scenes, options, files, sliders and
// marks are made from these rows; takes() of a law says whether it reads one. The ranges end before single precision
// overflows. The name in files and of the option is the member in small letters: cutOff, cut_off, --cut-off. Rule: add new
// rows at the end, because files have them in this order.
GRAVLAB_LAW_NUMBER(exponent, 2, -4, 12, "", "Exponent",
                   "a of the attraction r^-a: 2 is gravity, -1 a spring; whole numbers run exact code",
                   "exponent a of the power law r^-a; 2 is gravity", "the power law", "; 2 is gravity")
GRAVLAB_LAW_NUMBER(strength, 1, 0.001, 1000, "", "Strength",
                   "Factor of the law: Coulomb's constant, alpha of alpha r^-a, or the depth of the Lennard-Jones well",
                   "strength of the law: Coulomb's constant, alpha of alpha r^-a, or the depth of the Lennard-Jones well",
                   "Coulomb's law, the power law and Lennard-Jones", "")
GRAVLAB_LAW_NUMBER(diameter, 1, 0.001, 1000, "L", "Diameter",
                   "Where the Lennard-Jones potential crosses zero: the size of an atom",
                   "diameter of the atoms of Lennard-Jones", "Lennard-Jones", "")
GRAVLAB_LAW_NUMBER(cutOff, 2.5, 1, 20, "", "Cut-off",
                   "Reach of Lennard-Jones in diameters: 2.5 is usual, 1.12 keeps only the repulsion",
                   "reach of Lennard-Jones, in diameters", "Lennard-Jones", "")
