"""Ask what passes a relu at exactly 0, on the tutorial's XOR training with its printed numbers."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    SWIFT,
    TOLD,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    ruled,
    written,
)
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

# Numbers that the tutorial printed while it trained XOR, and its initial weights. The weights are recovered
# from the printed gradients by least squares. Two of them, in the second row of `W1` at 4 and 5, do not
# follow from the run: with any clearly negative value these units are off whenever the second input is on.


# fmt: off
W1 = (
    (0.335698368, 0.363201521, 0.477825886, -0.243582527, 0.023678853, 0.197460072, -0.228547472,
     0.195798898, 0.04032968, 0.705337202),
    (0.341516415, 0.239744508, 0.033551559, 0.626623309, -0.5, -0.5, 0.127205331, 0.314612928,
     0.379969179, 0.089860552),
)
W2 = (
    (0.35070258,),
    (-0.658045189,),
    (0.494694513,),
    (0.401163423,),
    (-0.237909445,),
    (-0.47214048,),
    (0.545565166,),
    (0.532913886,),
    (-0.056201326,),
    (0.243304832,),
)
LOSSES = (
    0.33274758, 0.33206546, 0.32871217, 0.32567233, 0.3228815, 0.32029176, 0.31786746, 0.31558186,
    0.31341466, 0.31138343,
)
AT_YHAT = (
    (-0.25, -0.0162234, -0.105033934, 0.094616234),
    (-0.24949601, -0.017163903, -0.10388964, 0.09343198),
    (-0.2439641, -0.013019085, -0.09845731, 0.0965938),
    (-0.2387768, -0.009471901, -0.09363252, 0.09900099),
    (-0.23389274, -0.006436102, -0.0893316, 0.10076761),
    (-0.22927606, -0.0038376972, -0.08548254, 0.101991385),
    (-0.22489586, -0.0016133115, -0.0820235, 0.10275632),
    (-0.22072542, 0.0002914667, -0.07890124, 0.103134096),
    (-0.21674162, 0.0019231141, -0.07607014, 0.10318613),
    (-0.21300167, 0.0033213794, -0.07349101, 0.10296476),
)
AT_LAYER1 = (
    (
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (-0.0056895884, 0.01067573, -0.008025628, -0.0065082344, 0.0038597002, 0.0076597244,
         -0.008850923, -0.008645675, 0.00091177685, -0.003947232),
        (-0.03683567, 0.06911708, -0.051959712, -0.04213577, 0.024988564, 0.049590774, -0.05730286,
         -0.05597404, 0.0059030475, -0.025555266),
        (0.03318216, -0.062261757, 0.046806134, 0.03795657, -0.022510095, -0.044672154, 0.051619325,
         0.050422303, -0.005317559, 0.023020588),
    ),
    (
        (-0.087382756, 0.16425455, -0.12343603, -0.099958554, 0.059345044, 0.11769368, -0.13612662,
         -0.132847, 0.014168547, -0.060705103),
        (-0.006011435, 0.011299776, -0.008491694, -0.006876578, 0.0040826006, 0.008096653,
         -0.009364735, -0.009139116, 0.00097471516, -0.004176165),
        (-0.036386, 0.068395264, -0.051398512, -0.04162254, 0.024711158, 0.04900741, -0.056682855,
         -0.055317223, 0.005899754, -0.025277482),
        (0.03272334, -0.061510514, 0.046224676, 0.037432764, -0.022223702, -0.044074263, 0.05097709,
         0.049748924, -0.005305878, 0.02273302),
    ),
    (
        (-0.085335776, 0.16068377, -0.1207117, -0.09762091, 0.058017734, 0.11498504, -0.13311927,
         -0.12979509, 0.013993774, -0.059361998),
        (-0.004553923, 0.00857485, -0.0064417506, -0.0052095163, 0.0030961023, 0.0061361487,
         -0.0071038776, -0.006926483, 0.0007467743, -0.0031678386),
        (-0.03443921, 0.06484762, -0.048715975, -0.039397158, 0.023414386, 0.04640485, -0.053723335,
         -0.05238178, 0.0056475084, -0.023956895),
        (0.033787373, -0.06362024, 0.047793925, 0.038651485, -0.02297122, -0.045526538, 0.05270651,
         0.051390346, -0.0055406173, 0.02350346),
    ),
    (
        (-0.08339106, 0.15736054, -0.11814025, -0.0954092, 0.05677393, 0.11244918, -0.13030054,
         -0.12691614, 0.013847596, -0.058072347),
        (-0.0033079926, 0.0062422454, -0.004686438, -0.003784733, 0.0022521326, 0.004460682,
         -0.0051688175, -0.005034564, 0.0005493124, -0.002303639),
        (-0.03270048, 0.061706427, -0.046326816, -0.0374132, 0.022262992, 0.04409515, -0.051095277,
         -0.049768142, 0.0054301145, -0.022772146),
        (0.034575377, -0.0652444, 0.04898299, 0.039558303, -0.023539452, -0.04662337, 0.054024853,
         0.052621625, -0.005741453, 0.0240778),
    ),
    (
        (-0.08153905, 0.15425265, -0.115705006, -0.09331068, 0.055603556, 0.11006514, -0.1276478,
         -0.12419132, 0.013724609, -0.05683275),
        (-0.0022437365, 0.00424462, -0.003183892, -0.00256766, 0.001530061, 0.003028698,
         -0.003512526, -0.0034174128, 0.00037766452, -0.0015638851),
        (-0.031142538, 0.058914337, -0.04419168, -0.035638522, 0.02123689, 0.04203762, -0.04875304,
         -0.047432892, 0.0052418956, -0.021706361),
        (0.03512933, -0.06645641, 0.049848992, 0.040200878, -0.023955585, -0.047419176, 0.05499429,
         0.053505134, -0.0059129503, 0.024485158),
    ),
    (
        (-0.07977117, 0.15133253, -0.113391355, -0.09131406, 0.05449789, 0.10781483, -0.12514149,
         -0.12160411, 0.013620339, -0.0556399),
        (-0.0013352358, 0.002533053, -0.0018979814, -0.0015284444, 0.0009122034, 0.0018046397,
         -0.002094659, -0.002035449, 0.00022798167, -0.00093131873),
        (-0.029741623, 0.056422323, -0.042276464, -0.034045234, 0.020318815, 0.04019733,
         -0.046657346, -0.045338478, 0.005078163, -0.0207446),
        (0.035485484, -0.06731891, 0.05044112, 0.040620234, -0.024242895, -0.047960456, 0.055668063,
         0.05409449, -0.0060588853, 0.024750907),
    ),
    (
        (-0.07807983, 0.14857662, -0.111186594, -0.08940941, 0.053449426, 0.10568272, -0.122764714,
         -0.11914019, 0.013531086, -0.05449069),
        (-0.0005601129, 0.0010658281, -0.00079760735, -0.0006413868, 0.00038342446, 0.00075812486,
         -0.0008806641, -0.00085466326, 9.7066506e-05, -0.00039089404),
        (-0.028477093, 0.05418852, -0.04055172, -0.032609195, 0.019493952, 0.03854436, -0.04477446,
         -0.043452535, 0.004935026, -0.01987372),
        (0.035675157, -0.06788558, 0.050801847, 0.040851716, -0.024421375, -0.048287094, 0.05609196,
         0.054435894, -0.0061824373, 0.024897136),
    ),
    (
        (-0.076458275, 0.14596471, -0.1090796, -0.08758796, 0.052451674, 0.10365538, -0.12050286,
         -0.11678703, 0.013453777, -0.053382203),
        (0.00010096274, -0.00019274562, 0.00014403902, 0.00011565942, -6.926215e-05, -0.00013687638,
         0.00015912336, 0.00015421664, -1.776564e-05, 7.049091e-05),
        (-0.027331028, 0.05217703, -0.038991954, -0.03130948, 0.018749548, 0.037052996, -0.04307535,
         -0.04174708, 0.004809232, -0.01908218),
        (0.03572518, -0.06820211, 0.050967515, 0.040925533, -0.02450808, -0.048433047, 0.05630504,
         0.054568816, -0.0062862863, 0.02494287),
    ),
    (
        (-0.074900545, 0.14347956, -0.10706067, -0.08584198, 0.05149903, 0.10172125, -0.1183433,
         -0.11453373, 0.013385869, -0.05231174),
        (0.0006645807, -0.0012730714, 0.0009499324, 0.0007616623, -0.00045694277, -0.0009025565,
         0.0010500414, 0.0010162396, -0.00011877069, 0.00046415377),
        (-0.026287958, 0.050357237, -0.037575245, -0.030128093, 0.018074695, 0.03570126,
         -0.041535128, -0.040198077, 0.0046980586, -0.018359931),
        (0.035658576, -0.0683076, 0.050969336, 0.040867567, -0.024517607, -0.048427347, 0.056340758,
         0.0545271, -0.0063727307, 0.02490452),
    ),
    (
        (-0.07342794, 0.14115742, -0.10515943, -0.084195204, 0.050604995, 0.09990652, -0.11631727,
         -0.11241147, 0.013330075, -0.051295396),
        (0.0011449772, -0.002201097, 0.0016397729, 0.0013128734, -0.00078909425, -0.0015578632,
         0.0018137594, 0.0017528555, -0.00020785864, 0.0007998598),
        (-0.025334511, 0.04870291, -0.036282685, -0.029049493, 0.017460015, 0.034470297,
         -0.040132426, -0.038784824, 0.004599216, -0.017698219),
        (0.03549498, -0.06823534, 0.050833948, 0.040699866, -0.024462396, -0.048294697, 0.056227632,
         0.054339573, -0.006443743, 0.024796136),
    ),
)

TEN = range(10)
PRINTED = {"within": 1e-7, "at": TEN}  # the tutorial prints about eight decimals of numbers below 1


def nested(numbers: tuple) -> str:
    """Write nested tuples of numbers as a tensor of the formula language."""
    return str(numbers).replace("(", "[").replace(",)", "]").replace(")", "]")


FORMULA = f"""x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
y = [0.0, 1.0, 1.0, 0.0]
W1 = parameter({nested(W1)})
b1 = parameter(shape=(10,))
layer1 = relu(dense(x, W1, b1))
W2 = parameter({nested(W2)})
b2 = parameter(shape=(1,))
yhat = relu(dense(layer1, W2, b2))
loss = mean(square(yhat - y))
"""

ONE_SAMPLE = """x = [[0.0, 0.0]]
W1 = [[0.3, -0.2], [0.3, 0.6]]
layer1 = relu(x @ W1)
W2 = [[0.5], [1.0]]
yhat = relu(layer1 @ W2)
loss = mean(square(yhat - [[1.0]]))
"""

LESSON = Lesson(
    key="xor-tutorial",
    track="documents",
    title="A prediction of exactly 0: can it be corrected?",
    summary="A sample of zeros goes through a network without biases. Its loss is not 0.",
    level=2,
    minutes=4,
    after=("gets-nothing", "xor-broadcast"),
    found_by=("XOR", "dead relu", "zero gradient", "Swift for TensorFlow", "training"),
    text="The sample is 0, 0, and no bias is added. So the prediction `yhat` is relu(0), exactly 0. It "
    "should be 1, and −2 arrives at `yhat`: a larger prediction would be better.",
    steps=(
        Step(
            "One sample",
            ONE_SAMPLE,
            look_at="yhat",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "layer1", element=(0, 0)),
                    words="What arrives at the first of the two numbers of `layer1`?",
                    told=(
                        (
                            "-1",
                            "−1 is −2 times the weight 0.5, as if relu had slope 1 at 0. It has a corner "
                            "there: which slope does it take?",
                        ),
                        (
                            "-0.5",
                            "−0.5 takes half of both slopes, as `maximum` does in JAX. relu has a rule of "
                            "its own for 0.",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="why zero",
            text="0: relu has slope 0 at 0, in JAX, PyTorch and Swift, so −2 ends there. The sample waits "
            "until other samples have moved a bias.",
        ),
        Step(
            "Ten steps",
            FORMULA,
            look_at="yhat",
            text="The tutorial's own run, from its own weights. It prints ten losses, and what arrives at "
            "`yhat` and `layer1`: every number comes back here.",
            training=Plan(Settings("sgd", 0.02), 10),
        ),
    ),
    to_try=(
        Try(
            "In *Ten steps* train ten steps, go back to step 0, then to 1: the first row at `layer1` is "
            "zero, then it is not.",
            (Part(1, steps=10, at=0, unchanged=True), Part(1, steps=10, at=1, unchanged=True)),
            ("layer1",),
        ),
        Try(
            "There stop the gradient at `layer1` and train ten steps: `W1` stays, `W2` learns.",
            (Part(1, edits=(ruled("layer1", "stop"),), steps=10),),
            ("W1", "W2"),
        ),
        Try(
            "Let `layer1` *follow* again, set the last bias, `b2`, to [0.1] and start over: no sample is "
            "dead at the start.",
            (
                Part(
                    1,
                    edits=(ruled("layer1", "follow"), written("b2", "[0.1]")),
                    untrained=True,
                    unchanged=True,
                ),
            ),
            ("yhat",),
        ),
    ),
    claims=(
        Claim("The prediction", "value", "yhat", ((0.0,),), "by hand: relu(0)", within=EXACTLY),
        Claim("What arrives at yhat", "cotangent", "yhat", ((-2.0,),), "by hand: 2(0 − 1)", within=EXACTLY),
        Claim(
            "What arrives at layer1",
            "cotangent",
            "layer1",
            ((0.0, 0.0),),
            f"by hand: relu'(0) = 0, times 0.5 and 1; a row of zeros is printed in {SWIFT}",
            within=EXACTLY,
        ),
        Claim("All ten losses", "value", "loss", LOSSES, SWIFT, 1, **PRINTED),
        Claim(
            "What arrives at yhat in all ten steps",
            "cotangent",
            "yhat",
            tuple(tuple((number,) for number in step) for step in AT_YHAT),
            SWIFT,
            1,
            **PRINTED,
        ),
        Claim(
            "What arrives at layer1 in all ten steps",
            "cotangent",
            "layer1",
            AT_LAYER1,
            SWIFT,
            1,
            **PRINTED,
        ),
        Claim(
            "What passes the last relu in step 0: nothing for the first sample",
            "passed",
            ("yhat", 0),
            tuple((number if i else 0.0,) for i, number in enumerate(AT_YHAT[0])),
            f"{SWIFT}; by hand: relu'(0) = 0, and 1 where the prediction is above 0",
            1,
            within=1e-7,
        ),
        Claim(
            "What passes it in step 1: all that arrives",
            "passed",
            ("yhat", 0),
            tuple((number,) for number in AT_YHAT[1]),
            f"{SWIFT}; by hand: every prediction is above 0 now",
            1,
            within=1e-7,
            at=1,
        ),
    ),
    predictions=(
        Prediction("0", RIGHT),
        Prediction("-1", TOLD),
        Prediction("-0.5", TOLD),
        Prediction("-2", "arriving-alone"),
    ),
    numbers=(1, 0),
    sources=(
        f"*Ten steps* is the training of XOR in {TUTORIAL}. Its loss hardly falls, from 0.333 to 0.311: its "
        "targets are a list, as in *Same data, same start*.",
    ),
    code="""x = torch.tensor([[0.0, 0.0]])
W1 = torch.tensor([[0.3, -0.2], [0.3, 0.6]])
W2 = torch.tensor([[0.5], [1.0]], requires_grad=True)
layer1 = torch.relu(x @ W1).requires_grad_()
yhat = torch.relu(layer1 @ W2)
loss = ((yhat - 1) ** 2).mean()
loss.backward()
layer1.grad  # [[0.0, 0.0]]
""",
)
